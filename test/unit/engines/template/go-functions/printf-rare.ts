import { each, type Family, list } from './family.ts'

const across = (verbs: readonly string[], operands: readonly string[]): string[] =>
  operands.flatMap(operand => verbs.map(verb => `printf "%${verb}" ${operand}`))

/** What printf prints of values and formats that few templates have. */
export const family: Family = {
  functions: 'sprig',
  calls: {
    'digits end in zeros, lie halfway, or round up to the next power of ten': across(
      list`
  g ¦ .3g ¦ .4g ¦ .10g ¦ .0f ¦ .1f ¦ .0e ¦ .2e ¦ b ¦ #b ¦ 08b ¦ x ¦ .0x ¦ .1x ¦ .2x ¦ .12x ¦ .13x
`,
      list`
  1020.5 ¦ 1020.00000033 ¦ 1019.99999995 ¦ 1009.75 ¦ 1010.25 ¦ 0.75 ¦ 10101.5 ¦ 1.03125 ¦ 1.09375 ¦ 1.99999 ¦
  4503599627370496.0 ¦ 9007199254740992.0 ¦ 0.0 ¦ -0.0 ¦ 5e-324 ¦ -0.96875 ¦ (float64 "-inf") ¦ 99.5 ¦ 0.00009995
`,
    ),
    'the sharp flag keeps the point, and zeros behind it': across(
      list`
  #v ¦ #g ¦ #.3g ¦ #.20g ¦ #.0g ¦ #G ¦ #e ¦ #.0e ¦ #E ¦ #f ¦ #.0f ¦ #x ¦ #X ¦ #.0x ¦ #.3x ¦ #012g ¦ -#12.2g| ¦ #.7v ¦ +#g
`,
      list`
  0.0 ¦ -0.0 ¦ 1.0 ¦ -2.5 ¦ 0.001 ¦ 100000.0 ¦ 1e6 ¦ 1e21 ¦ 1.5e-7 ¦ 123.456 ¦ (float64 "nan") ¦ (float64 "inf") ¦
  10.0 ¦ -0.05 ¦ 0.0000123 ¦ 1e100
`,
    ),
    'characters stand at the edges of what is one, and of what is shown': [
      ...across(list`c ¦ q ¦ +q ¦ #q ¦ U ¦ #U ¦ #.6U ¦ 3c| ¦ #x ¦ #o ¦ 05d`, [
        ...list`55295 ¦ 55296 ¦ 57343 ¦ 57344 ¦ 1114111 ¦ 1114112 ¦ -1 ¦ 0 ¦ 31 ¦ 32 ¦ 34 ¦ 39 ¦ 126 ¦ 127 ¦ 128`,
        ...list`160 ¦ 173 ¦ 65535 ¦ 65536 ¦ 888 ¦ 8232 ¦ 12288`,
      ]),
      ...across(list`q ¦ +q ¦ #q ¦ s`, [
        '"\\u0080\\uffff\\U00010000\\U0010ffff"',
        '"\\ud7ff\\ue000\\u00a0"',
        '"~}| !"',
        '"\\x1f\\x20\\x7e"',
        '"\\b\\a\\v\\f\\r"',
        '"\\t "',
        '"\\x0e"',
        '"\\x08"',
        '"\\ufeff"',
      ]),
    ],
    'any other value is shown as Go source': across(list`#v ¦ +v ¦ #s ¦ #q ¦ #x ¦ #5v ¦ #d ¦ v ¦ 08v`, [
      ...list`
  (regexFindAll "x" "a" -1) ¦ (splitList "," "a,b") ¦ (list) ¦ (rest list) ¦ (until 0) ¦ (until 2) ¦ (chunk 2 (until 3)) ¦
  (list nil "a" 1 2.5 true (int64 7) (index "abc" 1)) ¦ (dict "b" (list nil) "a" (dict "x" 1.0)) ¦ (split "," "a,b") ¦
  (index "abc" 0) ¦ 1.5+2i ¦ -0i ¦ 1-0i ¦ -0+1i ¦ -0.0-0.0i ¦ 0i ¦ 1e21 ¦ 1e20 ¦ 100000.0 ¦ 1e6 ¦ (list 1e6 1e21) ¦ "é\n\"" ¦ (toDate "2006" "2020").Month
`,
    ]),
    'complex numbers have two signs': list`
  print 0i ¦ print 1-0i ¦ print -0i ¦ print -1.5-2.5i ¦ print 1e21+1e-7i ¦ print (list 1i -0i) ¦ printf "%+.1f % g %08.2f %T" 1i 1-1i 2i 1-0i
`,
    'indexes, widths and precisions may be anything': each(
      ['printf'],
      list`
  "%[1d" 1 ¦ "%[12" 1 ¦ "%[x1]d" 1 ¦ "%[1x]d" 1 ¦ "%[01]d" 1 ¦ "%[10]d" 1 2 3 4 5 6 7 8 9 10 ¦ "%[1]d%[" 1 ¦
  "%[2]*" 1 2 ¦ "%[1]*[2]d" 3 7 ¦ "%[2]*[x]d" 3 7 ¦ "%*[2]d" 3 7 ¦ "%.*[1]d" 3 7 ¦ "%[x]*d" 1 2 ¦ "%[9]*d" 1 2 ¦
  "%[x].2d" 1 ¦ "%[x]5d %d" 1 2 ¦ "%d%[1]d" 1 2 ¦ "%[1]d%d" 1 2 3 ¦ "%d%d%[1]d%[2]d" 1 2 ¦ "%[1]d %s" 1 "x" "y" ¦
  "%*d%%" 3 1 ¦ "%[3]d %d" 1 2 ¦ "%[3]d %s" "a" "b" ¦ "%[3]v %d %s" 1 "b" ¦ "%-010d|" 5 ¦ "%0-10d|" 5 ¦ "%*d" 0 5 ¦
  "%.*d|" 0 0 ¦ "%.*d" nil 1 ¦ "%*.*d" 5 nil 1 ¦ "%5.*d" 3 1 ¦ "%.3.d" 1 ¦ "%5 d" 1 ¦ "%é%d" 1 2 ¦ "%.0s|" "a" ¦ "a%" 1 ¦
  "%5.%" 1 ¦ "%[1]%" 1 ¦ "%[2]%%d" 1 2 ¦ "%[5]%" 1 ¦ "%.5%|%5%|" ¦ "%-5%|" ¦ "%!d" 1 ¦ "%d%!" 1 ¦ "%#.3d%+.2e" 1 2.0
`,
    ),
  },
}
