import { each, type Family, list, values } from './family.ts'

export const family: Family = {
  functions: 'sprig',
  calls: {
    'writes TOML as Helm does': each(
      ['toToml'],
      [
        ...values.filter(value => !/nil|none/.test(value) && value !== '1i'),
        ...list`
  1.0 ¦ 1e6 ¦ 1e21 ¦ 1e-7 ¦ 1.5e300 ¦ 100000.0 ¦ -0.5 ¦ (float64 "inf") ¦ (float64 "-inf") ¦ (float64 "nan") ¦
  123456789.0
`.map(float => `(dict "f" ${float})`),
        ...['"a\\"b\\\\c\\n\\t\\r\\b\\f\\x00\\x1f\\x7f\\u0085é😀"', '""', '"\'"'].map(text => `(dict "t" ${text})`),
        '(dict "a b" 1 "é" 2 "" 3 "c.d" 4 "E-f_9" 5 "\\"q" 6)',
        '(dict "z" 1 "a" (dict "x" 1) "b" 2 "l" (list (dict "y" 1) (dict)))',
        '(dict "a" (dict "b" (dict "c" (dict "d" 1))) "e" (dict "f g" (dict)))',
        '(dict "l" (list (dict "m" (list (dict "n" 1) (dict "n" 2))) (dict "m" (list))))',
        '(dict "l" (list (list 1 2) (list "a") (list)))',
        '(dict "l" (list (dict "a" 1) 2))',
        '(dict "l" (list 1 (dict "a" 1 "b" nil "c" (list (dict "x" (dict "y" 1))))))',
        '(dict "l" (list 1 (dict "b" 1 "a" nil)))',
        '(dict "l" (list 1 (dict "a" nil "b" nil)))',
        '(dict "l" (list 1 (dict)))',
        '(dict "l" (list 1 (dict "k l" "m" "d" (dict "e" 1) "c" 2)))',
        '(dict "n" nil "m" 1)',
        '(dict "n" nil)',
        '(dict "l" (list nil))',
        '(dict "l" (list 1 nil))',
        '(dict "l" (list (dict) nil))',
        '(dict "l" (list (list nil)))',
        '(dict "d" (dict "l" (list nil)))',
        '(dict "e" (dict))',
        '(dict "e" (list))',
        '(dict "e" (rest list) "f" 1)',
        '(dict "e" (splitList "," "a,b") "f" (split "," "x,y") "g" (until 2))',
        '(dict "i" (int64 5) "b" true "u" (index "abc" 1))',
        '(dict "a" (dict "x" 1) "b" (list (dict "y" 2)))',
        '(dict "b" (list (dict "y" 2)) "a" 1 "c" (dict "z" 1))',
        '(list (dict "a" 1))',
        '(list (dict "a" 1) nil)',
        '(list (dict))',
        '(list 1 "a" (list 2))',
        '(list nil)',
        '(dict "x" (dict "y" (list (dict "a" (list (dict "b" 1))) (dict "a" 2)) "w" 1))',
        '(dict "a" (dict "b" (list 1 (list 2.0 "x"))))',
        '(dict "s" (list "a" "b\\n"))',
        '(dict "m" (list 1 "a" 2.5 true))',
        '(chunk 2 (until 3))',
        '(dict "c" (chunk 2 (until 3)))',
      ],
    ),
  },
}
