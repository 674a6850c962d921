import { each, type Family, list, values } from './family.ts'

const operands = list`
  1 ¦ 2 ¦ -1 ¦ 1.5 ¦ 2.0 ¦ "a" ¦ "b" ¦ "" ¦ true ¦ false ¦ nil ¦ .none ¦ (int64 1) ¦ (index "abc" 1) ¦ 98 ¦ 1i ¦
  2i ¦ (list) ¦ (dict) ¦ (list 1) ¦ (dict "a" 1) ¦ (rest list) ¦ (toDate "2006" "2020") ¦
  (toDate "2006" "2021") ¦ (semver "1.2.3") ¦ (splitList "," "a")
`
const texts = list`
  "<a href='x'>&amp;\"\x00</a>" ¦ "é☃😀 ~-_.!*()'/?=+%" ¦ "\\\n\t\u2028\u00a0\u200b\u0001=" ¦ "" ¦ "plain" ¦
  "\x7f\x1f\x20\uffff\U000e0001"
`

export const family: Family = {
  functions: 'sprig',
  calls: {
    'compares what is of one kind': [
      ...operands.flatMap(a => operands.map(b => `eq ${a} ${b}`)),
      ...operands.slice(0, 18).flatMap(a => operands.slice(0, 18).map(b => `lt ${a} ${b}`)),
      ...['ne', 'le', 'gt', 'ge'].flatMap(name =>
        operands.slice(0, 7).flatMap(a => operands.slice(0, 7).map(b => `${name} ${a} ${b}`)),
      ),
      ...['lt', 'ge'].flatMap(name => operands.slice(18).map(a => `${name} ${a} ${a}`)),
      ...list`
  eq 1 ¦ eq ¦ eq 1 2 1 ¦ eq 1 2 3 ¦ eq "a" "b" "a" 1 ¦ eq 1 1 "a" ¦ eq nil 1 nil ¦ ne 1 ¦ ne 1 2 3 ¦ lt 1 ¦
  lt "é" "z" ¦ lt "😀" "ﬁ" ¦ lt "ab" "abc" ¦ le "b" "b" ¦ gt "b" "a" ¦ eq "é" "é"
`,
      '$d := dict "a" 1 }}{{ eq $d $d',
      '$t := toDate "2006" "2020" }}{{ eq $t $t }}{{ ne $t $t',
    ],
    'indexes, slices and counts': [
      ...each(['index', 'len', 'slice'], values),
      ...each(
        ['index', 'slice'],
        [
          ...list`
  (list 1 2 3) 0 ¦ (list 1 2 3) 2 ¦ (list 1 2 3) 3 ¦ (list 1 2 3) -1 ¦ (list 1 2 3) 4 ¦ (list 1 2 3) "a" ¦
  (list 1 2 3) nil ¦ (list 1 2 3) 1.0 ¦ (list 1 2 3) (int64 1) ¦ "héllo" 1 ¦ "abc" 3 ¦ "abc" 4 ¦ "abc" -1 ¦
  "abc" "a" ¦ "abc" nil ¦ (list) 0 ¦ "" 0 ¦ 5 1 ¦ true 1 ¦ nil 1 ¦ .none 1 ¦ (toDate "2006" "2020") 1
`,
          '',
        ],
      ),
      ...each(
        ['index'],
        list`
  (dict "a" 1) "a" ¦ (dict "a" 1) "b" ¦ (dict "a" 1) 1 ¦ (dict "a" 1) nil ¦ (dict "a" nil) "a" ¦
  (dict "a" nil) "a" "b" ¦ (dict "a" (list 1 2)) "a" 1 ¦ (dict "a" (dict)) "a" "b" "c" ¦ (dict) "a" "b" ¦
  (split "," "x,y") "_1" ¦ (split "," "x,y") "_9" ¦ (split "," "x") "_0" 0 ¦ (list nil) 0 ¦ (list nil) 0 0 ¦
  (list (list 1)) 0 0 ¦ (dict "a" 1) "a" 1 ¦ (splitList "," "a,b") 1 ¦ (until 3) 1 ¦ (list 1 2) 0 0 ¦
  (dict "a" "xyz") "a" 1 ¦ (list "é") 0 1 ¦ (dict) .none
`,
      ),
      ...each(
        ['slice (list 1 2 3)', 'slice "abc"', 'slice (splitList "," "a,b,c")'],
        [
          ...list`
  0 ¦ 3 ¦ 4 ¦ -1 ¦ 0 0 ¦ 1 2 ¦ 1 3 ¦ 2 1 ¦ 0 4 ¦ 1 -1 ¦ "a" ¦ nil ¦ 1 nil ¦ 0 1 2 ¦ 0 2 1 ¦ 0 2 3 ¦ 0 2 4 ¦
  1 2 2 ¦ 0 1 2 3 ¦ 1.0 ¦ (int64 1) 2 ¦ 3 3
`,
          '',
        ],
      ),
      ...each(
        ['typeOf'],
        list`
  (slice (splitList "," "a,b") 0 1) ¦ (slice (list 1) 0) ¦ (slice "abc" 1) ¦ (index "abc" 0) ¦ (len "abc") ¦
  (index (split "," "a") "_7")
`,
      ),
    ],
    'escapes for HTML, JavaScript and queries': [
      ...each(['html', 'js', 'urlquery'], texts),
      ...each(
        ['html', 'js', 'urlquery'],
        [
          ...list`
  1 ¦ nil ¦ .none ¦ "a" "b" ¦ 1 2 ¦ "a" 1 ¦ 1 "<" 2 3 ¦ (list "<" 1) ¦ (dict "a" "<") ¦ "<" nil ¦ nil nil ¦
  "" "" ¦ 1.5 ¦ true ¦ nil 1 ¦ "a" .none
`,
          '',
        ],
      ),
      ...each(
        ['print', 'println'],
        [
          ...list`
  1 ¦ "a" ¦ 1 2 ¦ "a" "b" ¦ "a" 1 ¦ 1 "a" 2 3 ¦ nil ¦ nil nil ¦ 1.5 true "x" nil ¦ (list 1 "a") (dict) ¦ .none ¦
  1i 2 ¦ "" "" 1
`,
          '',
        ],
      ),
      ...each(['print'], values),
    ],
  },
}
