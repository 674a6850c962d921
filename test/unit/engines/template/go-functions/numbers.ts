import { each, type Family, list, values } from './family.ts'

const pairs = [
  ...list`
  7 2 ¦ -7 2 ¦ 7 -2 ¦ -7 -2 ¦ 0 5 ¦ 5 0 ¦ "6" "4" ¦ 1.9 1.1 ¦ true 3 ¦ nil 2 ¦ 2 nil ¦ (int64 9) 4 ¦
  9223372036854775807 1 ¦ -9223372036854775808 -1 ¦ -9223372036854775808 1 ¦ 9223372036854775807 2 ¦ 1 ¦ 1 2 3
`,
  '',
]
const many = [
  ...list`
  1 ¦ "a" ¦ 1 2 3 ¦ 3 2 1 ¦ 2 3 1 ¦ -1 -2.5 ¦ 1.5 "2.5" true ¦ nil ¦ (list 1) ¦ 1 (float64 "nan") ¦ -0.0 0.0 ¦
  0.0 -0.0 ¦ 1e300 1e-300
`,
  '',
]
const places = list`
  0 ¦ 1 ¦ 2 ¦ -1 ¦ -2 ¦ 3 ¦ 17 ¦ 22 ¦ 23 ¦ -23 ¦ 100 ¦ 308 ¦ 309 ¦ 330 ¦ -320 ¦ -330 ¦ 400 ¦ 401 ¦ -400 ¦ -401 ¦
  1000 ¦ -1000 ¦ 1.5 ¦ "1"
`

export const family: Family = {
  functions: 'sprig',
  calls: {
    'calculates with integers of 64 bits': [
      ...each(['add', 'sub', 'mul', 'div', 'mod', 'max', 'min', 'biggest'], pairs),
      ...each(['add1', 'max', 'min', 'floor', 'ceil', 'add1f'], values),
      'mul 3037000500 3037000500',
      'mul 2 3 4 "5"',
      'add',
      'add 1 2 3 "4" 5.9',
    ],
    'calculates with floats': [
      ...each(['maxf', 'minf'], many),
      ...each(
        ['addf', 'subf', 'mulf', 'divf'],
        [
          ...list`
  0.1 0.2 ¦ 1 3 ¦ 10 4 2.5 ¦ 1.1 1.1 ¦ 7 ¦ "1.5" 2 ¦ -1.5 1.5 ¦ nil 1 ¦ 123456789.123 0.001
`,
          '',
        ],
      ),
      ...each(['floor', 'ceil'], ['1.5', '-1.5', '1e300', '"2.5"', '"-2.5"', '123.9999', '(float64 "inf")']),
      'add1f 1.1',
      'divf 1 0',
      ...each(['divf'], list`-1 3 ¦ 1 -3 ¦ -1 -3 ¦ 0 -3 ¦ 0 3 ¦ -2 3 7 ¦ 2 -3`),
      ...each(
        ['divf'],
        list`
  5e-17 1 ¦ -5e-17 1 ¦ 4e-17 1 ¦ 15e-17 1 ¦ 5e-17 -1 ¦ -6e-17 -1 ¦ 1 1e20 ¦ 0 -7 ¦ -0.0 7 ¦ 1e300 1e-10 ¦ 0 0
`,
      ),
      'addf -0.0 0',
      'subf 0 -0.0',
      'mulf -0.0 5',
      'addf (float64 "nan") 1',
      'addf (float64 "inf") 1',
      'subf 1 (float64 "-inf")',
    ],
    'rounds to places, up from a half or from what is said': [
      ...each(
        list`
  round 3.14159265358979 ¦ round -2.5 ¦ round "2.5" ¦ round 1e22 ¦ round 0.000123456
`,
        places,
      ),
      ...each(
        ['round 1.3 0', 'round 1.5 0', 'round 123.5555 3', 'round -1.5 0'],
        ['', '0.3', '0.31', '0.5', '1.0', '0.0', '-0.6', '1', '0.1 0.9'],
      ),
      'round 5 0',
      'round nil 0',
      'round 123.555555 3',
      'round 5.015 2',
      'round 2.675 2',
      'round 1.005 2',
    ],
    'counts up and down': [
      ...each(['until', 'seq'], ['0', '1', '3', '-1', '-3', '2.5', '"3"', 'nil', '(int64 3)', '']),
      ...each(
        ['untilStep', 'seq'],
        list`
  0 5 2 ¦ 5 0 -2 ¦ 0 5 0 ¦ 0 5 -1 ¦ 5 0 1 ¦ 5 0 0 ¦ 3 3 1 ¦ 3 3 -1 ¦ 0 6 3 ¦ -2 2 2 ¦ 2 -2 -2 ¦ 0 1
`,
      ),
      ...each(
        ['seq'],
        list`
  2 5 ¦ 5 2 ¦ 2 2 ¦ -1 -3 ¦ 1 2 3 4 ¦ 1 2 8 ¦ 8 -2 1 ¦ 8 2 1 ¦ 1 -1 8 ¦ 1 0 1 ¦ 2 -1 2 ¦ 0 ¦ 0 10 5
`,
      ),
      'typeOf (until 3)',
      'typeOf (untilStep 0 5 2)',
      'until 3 | printf "%T" ',
      'index (until 3) 1 | typeOf',
      'randInt 5 5',
      'randInt 5 4',
      'randInt 5 6',
      'randInt -3 -2',
      'randInt "a" 2',
    ],
  },
}
