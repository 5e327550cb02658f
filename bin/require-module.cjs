'use strict';

require('./supported-node.cjs');
const Module = require('node:module');

// In a test of Jest, Module and its createRequire are Jest's own, which cannot load an ES module. Jest derives them from
// Node's Module, so its parent class has the real ones; Node's Module has no parent with them.
const { createRequire } = [Object.getPrototypeOf(Module), Module].find((one) => one.createRequire);

/** Loads the ES module beside the CommonJS entry `file`, as Node does, also where Jest replaces `require`. */
module.exports = (file) => createRequire(file)(file.replace(/\.cjs$/, '.js'));
