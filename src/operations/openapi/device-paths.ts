import { accessController } from '../../scan/devices/access-controller.ts';
import { DEVICE_MODELS } from '../../scan/devices/detect.ts';
import type { DeviceModel, DeviceSchemas } from '../../scan/devices/device-model.ts';
import { HARDWARE_PATHS, HEARTBEAT_PATH } from '../../scan/http/scan-paths.ts';
import { answerOf, bodyOf, inJson, type Part } from './content.ts';
import { Heartbeat, HeartbeatAnswer } from './scan-wire.ts';
import type { Operation, Paths } from './types.ts';

/** Sections 4.3 to 4.5, with the requests and answers of every model in `src/scan/devices`. */
export function devicePaths(): Paths {
  return {
    [HARDWARE_PATHS.validate]: {
      post: deviceScan('hardwareValidate', 'Check a ticket for a device (section 4.4)'),
    },
    [HARDWARE_PATHS.consume]: {
      post: deviceScan('hardwareConsume', 'Consume a use for a device (section 4.3)'),
    },
    [HEARTBEAT_PATH]: { post: heartbeat() },
  };
}

const ALWAYS_200 = 'Under serve --hardware-always-200 every status is 200.';

/** Generated clients type the parameters of a path, and not its security scheme. */
const KEY = {
  name: 'key',
  in: 'query',
  required: true,
  description: 'An API key of the type "Hardware".',
  schema: { type: 'string' },
} as const;
const shared = {
  tags: ['Devices at the gate'],
  security: [{ deviceKey: [] }],
  parameters: [KEY],
};

function deviceScan(operationId: string, summary: string): Operation {
  const decisions = [...ofModels('granted'), ...ofModels('denied')];
  return {
    ...shared,
    operationId,
    summary,
    description: `The device model is detected from the body, whatever the content type says; the answer has the format of the model. A ticket that does not exist is a 200. ${ALWAYS_200}`,
    requestBody: bodyOf(ofModels('scan')),
    responses: {
      200: answerOf('A decision', decisions),
      403: answerOf('The key has no access to the event of the ticket', ofModels('denied')),
      ...deviceRefusals(),
    },
  };
}

function heartbeat(): Operation {
  return {
    ...shared,
    operationId: 'hardwareHeartbeat',
    summary: 'Heartbeat (section 4.5)',
    description: `A refusal has the format of the detected model, or the controller's format if none is detected. ${ALWAYS_200}`,
    parameters: [
      KEY,
      {
        name: 'Key',
        in: 'query',
        description: 'Returned when the body has no Key.',
        schema: { type: 'string' },
      },
    ],
    requestBody: bodyOf([inJson(Heartbeat)]),
    responses: {
      200: answerOf('Alive; under serve --hardware-always-200 also a refusal', [
        inJson(HeartbeatAnswer),
        ...ofModels('denied'),
      ]),
      ...deviceRefusals(),
    },
  };
}

function deviceRefusals(): NonNullable<Operation['responses']> {
  const denied = ofModels('denied');
  // No body was looked at yet that could name another model.
  const early = [partOf(accessController, 'denied')];
  return {
    400: answerOf('The body cannot be read, or the request is not valid HTTP', denied),
    401: answerOf('The key is missing or invalid', denied),
    405: answerOf('A method other than POST', early),
    408: answerOf('The request did not arrive in time', early),
    429: answerOf('Too many requests; Retry-After says how long to wait', denied),
    431: answerOf('The headers are too large', early),
    500: answerOf('The outcome is unknown: do not open', denied),
  };
}

function ofModels(name: keyof DeviceSchemas): Part[] {
  return DEVICE_MODELS.map((model) => partOf(model, name));
}

function partOf(model: DeviceModel, name: keyof DeviceSchemas): Part {
  return { type: mediaType(model), schema: model.schemas[name] };
}

/** Without the character set. */
function mediaType({ contentType }: DeviceModel): string {
  return contentType.split(';')[0] ?? contentType;
}
