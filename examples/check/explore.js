import { compare, explore, replay } from 'ticketscan/check';
import { startTicketscan } from 'ticketscan/testing';

await using service = await startTicketscan({ seed: 'all-states' });
await using other = await startTicketscan({ seed: 'all-states' });
const optionsFor = ({ url, keys, tickets }) => ({
  baseUrl: url,
  target: { keys, tickets },
  consume: true,
});

const found = await explore({ ...optionsFor(service), seed: 7, budget: 40 });
console.log(
  found.failure ? found.failure.story.join('\n') : `nothing in ${found.requests.find} requests`,
);
if (found.failure) {
  const { verdict } = await replay({ ...optionsFor(service), history: found.failure.history });
  console.log(`asked again: ${verdict}`);
}
const { verdict } = await compare({ a: optionsFor(service), b: optionsFor(other), budget: 40 });
console.log(`two servers: ${verdict}`);
