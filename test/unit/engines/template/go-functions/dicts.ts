import { each, type Family, list, values } from './family.ts'

const d = '(dict "a" 1 "b" (dict "c" 2 "n" nil) "z" nil "t" (split "," "x"))'
const sources = list`
  (dict) (dict "a" 1) ¦ (dict "a" 1) (dict "a" 2 "b" 3) ¦ (dict "a" "") (dict "a" "x") ¦
  (dict "a" 0 "b" false) (dict "a" 5 "b" true) ¦ (dict "a" nil) (dict "a" 1) ¦ (dict "a" 1) (dict "a" nil) ¦
  (dict "a" 1) (dict "b" nil) ¦ (dict "a" (dict "x" 1)) (dict "a" (dict "x" 2 "y" 3)) ¦
  (dict "a" (dict "x" 1)) (dict "a" 5) ¦ (dict "a" 5) (dict "a" (dict "x" 1)) ¦
  (dict "a" (list 1)) (dict "a" (list 2)) ¦ (dict "a" (list)) (dict "a" (list 2)) ¦
  (dict "a" (dict)) (dict "a" 2) ¦ (dict "a" 1) (dict "a" "") (dict "a" 0 "c" 1) ¦
  (dict) (dict "a" (dict "b" (dict "c" 1))) (dict "a" (dict "b" (dict "d" 1))) ¦ (dict "a" 1) ¦
  (dict "a" nil) (dict "a" nil) ¦ (dict "a" "x") (dict "a" (dict)) ¦ (dict "a" (dict "b" 1)) (dict "a" (dict)) ¦
  (dict "a" (dict "b" 1)) (dict "a" nil) ¦ (dict "a" 1) (dict "a" "text") ¦ (dict "a" 1.5) (dict "a" false)
`

export const family: Family = {
  functions: 'sprig',
  calls: {
    'makes maps of pairs': [
      ...values.map(value => `dict ${value} ${value}`),
      ...each(['dict'], ['', '"a"', '"a" 1 "b"', '"a" 1 "a" 2', '1 2 true 3 nil 4', '"a" nil']),
      'dict "a" nil | toJson',
      'dict 1.5 1 (list 1) 2',
      'keys (dict nil 1)',
    ],
    'reads, sets and removes keys': [
      ...each(
        [`get ${d}`, `hasKey ${d}`, `unset ${d}`, `pick ${d}`, `omit ${d}`],
        ['"a"', '"b"', '"z"', '"none"', '1', 'nil', '""'],
      ),
      ...each([`pick ${d}`, `omit ${d}`], ['', '"a" "b"', '"a" "none" "a"', '"z"']),
      ...each(['get', 'hasKey', 'unset'], ['nil "a"', '1 "a"', '(split "," "a") "_0"', '(list) "a"', '(dict)']),
      'set (dict) "a" 1',
      'set (dict "a" 1) "a" nil | toJson',
      'set (dict) "a" (dict "b" 1)',
      'set nil "a" 1',
      'set (fromJson "{}") "a" .none | toJson',
      '$d := dict "a" 1 }}{{ $_ := unset $d "a" }}{{ $_ := set $d "b" 2 }}{{ $p := pick $d "b" }}{{ $_ := set $p "c" 3 }}{{ $d }}{{ $p }}{{ omit $d "b"',
      ...each(['pluck "a"'], ['', '(dict "a" 1)', '(dict "a" 1) (dict "b" 2) (dict "a" nil)', 'nil', '1', '(dict)']),
      'pluck "a" (dict "b" 1) | toJson',
      'pluck 1 (dict)',
      ...each(['keys', 'values'], ['(dict "a" 1)', '(dict)', 'nil', '1']),
      'keys (dict "a" 1) (dict "a" 2)',
      'keys | toJson',
      'keys (dict) | typeOf',
      'values (dict "a" nil) | toJson',
      'values (dict "a" 1) | typeOf',
      'keys (dict "b" 1 "a" 2) | sortAlpha',
    ],
    'digs through maps': [
      ...each(
        ['dig'],
        [
          `"a" "d" ${d}`,
          `"b" "c" "d" ${d}`,
          `"b" "x" "d" ${d}`,
          `"x" "c" "d" ${d}`,
          `"a" "c" "d" ${d}`,
          `"b" "n" "d" ${d}`,
          `"b" "n" "m" "d" ${d}`,
          `"z" "d" ${d}`,
          `"z" "y" "d" ${d}`,
          `"t" "_0" "d" ${d}`,
          `"t" "d" ${d}`,
          `1 "d" ${d}`,
          `"a" 1 "d" ${d}`,
          `nil "d" ${d}`,
          '"a" "d" 3',
          '"a" "d" nil',
          '"a" "d" (split "," "a")',
          '"a" "d"',
          '"a"',
          '',
          `"d" ${d}`,
          `"a" nil (dict)`,
          '"a" "d" (list)',
        ],
      ),
    ],
    'merges, the first or the last winning': [
      ...each(['merge', 'mergeOverwrite', 'mustMerge', 'mustMergeOverwrite'], sources).map(call => `${call} | toJson`),
      ...each(['merge', 'mergeOverwrite'], ['1 (dict)', '(dict) 1', 'nil', '(dict) nil', '']),
      ...each(
        ['merge', 'mergeOverwrite'],
        [
          'nil (dict "a" 1)',
          'nil (dict)',
          'nil nil',
          '(index . "absent") (dict "a" (dict "b" 1)) (dict "a" (dict "c" 2))',
        ],
      ).map(call => `${call} | toJson`),
      ...['merge', 'mergeOverwrite'].map(
        name =>
          `$a := dict "a" 1 }}{{ $b := dict "b" (dict "c" 1) }}{{ $m := ${name} $a $b }}{{ $_ := set $m.b "c" 2 }}{{ $a }}{{ $b }}{{ $m`,
      ),
    ],
    'copies deeply': [
      ...each(
        ['deepCopy', 'mustDeepCopy'],
        [
          '(dict "a" (list 1 (dict "b" nil)))',
          '(list)',
          '1',
          '"a"',
          'nil',
          '(splitList "," "a,b")',
          '(split "," "a")',
          'true',
          '2.5',
          '(toDate "2006" "2020")',
        ],
      ),
      ...each(['deepCopy'], ['(splitList "," "a,b")', '(split "," "a")', '(list 1)', '(dict)', '(until 2)']).map(
        call => `${call} | typeOf`,
      ),
      '$a := dict "a" (dict "b" 1) "l" (list 1) }}{{ $c := deepCopy $a }}{{ $_ := set $c.a "b" 2 }}{{ $_ := set $c "x" 1 }}{{ $a }}{{ $c',
    ],
  },
}
