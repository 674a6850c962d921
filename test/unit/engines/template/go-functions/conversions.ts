import { each, type Family, list, values } from './family.ts'

const numbers = [
  ...list`
  0 ¦ 1 ¦ -1 ¦ +1 ¦ 007 ¦ 08 ¦ 0x1F ¦ 0X1f ¦ -0x1f ¦ 0b101 ¦ 0B1 ¦ 0o17 ¦ 0O7 ¦ 0x ¦ 0b2 ¦ 0o8 ¦ --1 ¦ +-1 ¦
  1_000 ¦ 0x_1f ¦ 0x1_f ¦ _1 ¦ 1_ ¦ 1__0 ¦ 0_7 ¦ 9223372036854775807 ¦ 9223372036854775808 ¦ 0b_1 ¦ 0o_7 ¦
  0x1__f ¦ -9223372036854775808 ¦ -9223372036854775809 ¦ 99999999999999999999 ¦ -99999999999999999999 ¦
  777777777777777777777 ¦ 1000000000000000000000 ¦ -1000000000000000000000 ¦ -777 ¦ +777 ¦ 78 ¦ 1.0 ¦ 1.5 ¦
  -1.5 ¦ .5 ¦ 5. ¦ . ¦ -.5 ¦ 1e3 ¦ 1E3 ¦ 1e+3 ¦ 1e-3 ¦ 1e ¦ e1 ¦ 1e400 ¦ -1e400 ¦ 1_0.5 ¦ 0x1p4 ¦ 0X1P-2 ¦
  -0x1.8p1 ¦ 0x.8p1 ¦ 0x1.p1 ¦ 0xp1 ¦ 0x1 ¦ 0x.p1 ¦ 0x1p ¦ 0x1pa ¦ 0x1p1024 ¦ 0x1fffffffffffffp0 ¦ 0x1p99999 ¦
  1x ¦ x1 ¦ inf ¦ -Inf ¦ +Infinity ¦ INFINITY ¦ infinit ¦ xinf ¦ infx ¦ nan ¦ NaN ¦ -nan ¦ nanx ¦ true ¦ 0.1 ¦
  1e21 ¦ 1e-7 ¦ 123456789.125 ¦ 0,5 ¦ ١ ¦ 1.5e3e3 ¦ 1.2.3
`,
  ' 1',
  '1 ',
].map(text => JSON.stringify(text))

const floats = list`
  1.9 ¦ -1.9 ¦ 1e18 ¦ 9.3e18 ¦ -9.3e18 ¦ 9223372036854775807.0 ¦ -9223372036854775808.0 ¦ 1e300 ¦
  (float64 "inf") ¦ (float64 "nan")
`

export const family: Family = {
  functions: 'sprig',
  calls: {
    'text is read as a number where it is one': each(['int64', 'int', 'float64', 'atoi', 'toDecimal'], numbers),
    'any value becomes a number': each(['int64', 'int', 'float64', 'toDecimal'], [...values, ...floats]),
    'months and durations are numbers': each(
      [
        'int64',
        'int',
        'float64',
        'add1',
        'mod 100',
        'minf 100',
        'round 1.5',
        'untilStep 0 1',
        'index (list 1 2 3 4 5)',
      ],
      [
        '((toDate "2006" "2020").Month)',
        '((toDate "2006" "2020").Weekday)',
        '((toDate "2006" "2020").Sub (toDate "2006" "2019"))',
      ],
    ),
    'decimals are read of octals': [
      'toDecimal "-777"',
      'toDecimal "-1000000000000000000000"',
      'toDecimal "777777777777777777777"',
      'toDecimal "1777777777777777777777"',
      'toDecimal "8"',
      'toDecimal ""',
    ],
    'any value becomes text': [
      ...each(['toString', 'toStrings', 'join "-"'], values),
      ...each(['toStrings'], values).map(call => `${call} | printf "%T %v" "x"`),
      'atoi 5',
      ...each(
        ['atoi'],
        list`
  "922337203685477203658$0" ¦ "-922337203685477203658x" ¦ "9223372036854775808x" ¦ "18446744073709551615x" ¦
  "18446744073709551616x" ¦ "+18446744073709551620x" ¦ "x18446744073709551620" ¦ "x" ¦ "+" ¦ "99999999999999999999 "
`,
      ),
      ...each(['int', 'int64'], list`"1.00" ¦ "1.0.5" ¦ "1.05" ¦ "-1.000" ¦ ".0"`),
      'kindOf (int 5.5)',
      'kindOf (int64 5.5)',
      'kindOf (float64 5)',
      'kindOf (atoi "5")',
      'kindOf (toDecimal "5")',
      'kindOf (toStrings 1)',
      'typeOf (toStrings 1)',
      'typeOf (toString 1)',
    ],
  },
}
