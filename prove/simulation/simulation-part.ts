import type { Part } from '../part.ts';
export const simulation: Part = {
  name: 'simulation',
  about: '',
  engines: [],
  async run() {
    return '';
  },
};
