/** What the expressions are evaluated over. */
export const data = {
  name: 'web',
  empty: '',
  port: 80,
  negative: -7,
  ratio: 0.5,
  huge: 1e21,
  on: true,
  off: false,
  none: null,
  tags: ['b', 'a', 'c'],
  mixed: [1, 'x', null, [2], { k: 'v' }, true, 1.5],
  nobody: [],
  nothing: {},
  nested: { z: 1, a: { b: 'deep', n: null }, list: [{ id: 1 }, { id: 2 }], 'odd-name': 3 },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Stalled', status: 'False' },
    ],
    observedGeneration: 2,
  },
}
