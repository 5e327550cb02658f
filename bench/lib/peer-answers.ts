/** The same route with the same answer in the words of each tool. */
const PATH = '/scan/consume';

export function wireMockMapping(answer: object): object {
  return {
    request: {
      method: 'POST',
      urlPath: PATH,
      bodyPatterns: [{ matchesJsonPath: '$.ticketCode' }],
    },
    response: {
      status: 200,
      headers: { 'Content-Type': 'application/json; charset=utf-8' },
      body: JSON.stringify(answer),
    },
  };
}

export function openApi(answer: object): object {
  const body = {
    type: 'object',
    required: ['ticketCode'],
    properties: { ticketCode: { type: 'string', minLength: 1 } },
  };
  const operation = {
    requestBody: { required: true, content: { 'application/json': { schema: body } } },
    responses: {
      200: {
        description: 'The scan result',
        content: { 'application/json': { schema: { type: 'object' }, example: answer } },
      },
    },
  };
  return {
    openapi: '3.0.3',
    info: { title: 'Scans', version: '1' },
    paths: { [PATH]: { post: operation } },
  };
}

export function mockoonEnvironment(answer: object): object {
  const response = {
    uuid: '00000000-0000-4000-8000-000000000003',
    body: JSON.stringify(answer),
    latency: 0,
    statusCode: 200,
    label: '',
    headers: [{ key: 'Content-Type', value: 'application/json; charset=utf-8' }],
    bodyType: 'INLINE',
    filePath: '',
    databucketID: '',
    sendFileAsBody: false,
    rules: [],
    rulesOperator: 'OR',
    disableTemplating: true,
    fallbackTo404: false,
    default: true,
    crudKey: 'id',
    callbacks: [],
  };
  const route = {
    uuid: '00000000-0000-4000-8000-000000000002',
    type: 'http',
    documentation: '',
    method: 'post',
    endpoint: PATH.slice(1),
    responses: [response],
    responseMode: null,
    streamingMode: null,
    streamingInterval: 0,
  };
  return {
    uuid: '00000000-0000-4000-8000-000000000001',
    lastMigration: 33,
    name: 'Scans',
    port: 0,
    hostname: '127.0.0.1',
    endpointPrefix: '',
    latency: 0,
    folders: [],
    routes: [route],
    rootChildren: [{ type: 'route', uuid: route.uuid }],
    proxyMode: false,
    proxyHost: '',
    proxyRemovePrefix: false,
    tlsOptions: {
      enabled: false,
      type: 'CERT',
      pfxPath: '',
      certPath: '',
      keyPath: '',
      caPath: '',
      passphrase: '',
    },
    cors: false,
    headers: [],
    proxyReqHeaders: [],
    proxyResHeaders: [],
    data: [],
    callbacks: [],
  };
}
