import {
  deviceSettings,
  Random,
  RealTime,
  SimulatedDevice,
  SimulatedFleet,
  VirtualTime,
} from 'ticketscan/simulate';

/** A server of your own without a socket: 20 ms later it opens relay IN for 5 seconds. */
const serverOn = (time) => ({
  send: (_request, receiver) =>
    time.after(20, () => receiver.answered({ status: 200, body: OPEN })),
  close: () => undefined,
});
const OPEN = '{"ActIndex":"0","AcsRes":"1","Time":"5"}';
const card = { code: 'TS1.any.code', label: 'a ticket' };

const time = new VirtualTime();
const world = { time, random: new Random('1'), transport: serverOn(time) };
const device = new SimulatedDevice('SIM00001', deviceSettings({ heartbeatMs: 0 }), world);
device.powerOn();
device.present({ card });
time.runUntil(3000);
console.log(`open: ${device.relay}`);
time.runUntil(3_600_000);
console.log(`an hour later: ${device.relay}`);

const plan = { cards: [card], devices: 3, rate: 2, people: 100, device: { heartbeatMs: 0 } };
const fleet = new SimulatedFleet(plan, { time, connect: () => serverOn(time) });
let isOver = false;
fleet.start(() => {
  isOver = true;
});
time.runWhile(() => isOver);
console.log(`granted: ${fleet.report().summary.granted}`);

// The same devices run on the clock of the machine, which has to be closed.
const real = new RealTime();
console.log(`virtual ${time.nowMs() > 3_600_000}, real ${real.nowMs() < 1000}`);
real.close();
