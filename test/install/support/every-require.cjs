// Prints what each entry gives to `require`, and whether it is the module that `import` gives.
const NAMES = ['', '/client', '/check', '/simulate', '/testing', '/testing/node-test'];

async function main() {
  for (const name of NAMES) {
    const required = require(`ticketscan${name}`);
    const imported = await import(`ticketscan${name}`);
    const same = Object.keys(imported).every((key) => required[key] === imported[key]);
    console.log(`ticketscan${name}: ${Object.keys(required).length > 0 && same}`);
  }
}
void main();
