import { each, type Family, list } from './family.ts'

const inputs = list`
  "a*" "baac" ¦ "" "abc" ¦ "" "" ¦ "a" "" ¦ "x" "abc" ¦ "[0-9]+" "a1b22c333" ¦ "(a)(b)?" "abaab" ¦ "é" "aébé" ¦
  "." "é😀" ¦ "$" "abc" ¦ "^" "abc" ¦ "(?m)^." "ab\ncd" ¦ "b*" "abba" ¦ "(?i)B" "aBb" ¦ "a|b" "banana" ¦
  "," ",a,,b," ¦ "\\b" "ab cd" ¦ "(?P<n>[a-z]+)(?P<d>\\d)?" "ab1cd" ¦ "a+?" "aaa" ¦ "(|a)*" "aaa" ¦ "z*" "ab" ¦
  "a$" "ba"
`
const broken = [
  ...list`
  "[" "a" ¦ "(" "a" ¦ "a**" "a" ¦ "\\" "a" ¦ "(?<n" "a" ¦ "a{2,1}" "a" ¦ "a{1001}" "a" ¦ "[b-a]" "x" ¦
  "(?=a)" "a" ¦ "*" "a" ¦ "\n[" "a" ¦ "x\\p{Nope}" "a" ¦ "\\8" "a" ¦ ")" "a" ¦ "[[:no:]]" "a" ¦ "é[" "a" ¦
  "\r[" "a" ¦ "\t[" "a" ¦ "\u0001[" "a" ¦ "\x7f[" "a" ¦ "\ufeff[" "a" ¦ "\u0080[" "a" ¦ "\u200b[" "a" ¦
  "\u000b[" "a" ¦ "[at end of expression" "a" ¦ "(?i" "a" ¦ "\x1f[" "a" ¦ " [" "a" ¦ "\u0008[" "a"
`,
  '"`[" "a"',
  '"\\"`[" ""',
]
const limits = ['-1', '0', '1', '2', '3', '100']

export const family: Family = {
  functions: 'sprig',
  calls: {
    'matches, finds and splits as Go does': [
      ...each(['regexMatch', 'mustRegexMatch', 'regexFind', 'mustRegexFind'], inputs),
      ...inputs.flatMap(input =>
        limits.flatMap(limit => each(['regexFindAll', 'regexSplit'], [`${input} ${limit} | toJson`])),
      ),
      ...each(
        ['mustRegexFindAll', 'mustRegexSplit'],
        inputs.map(input => `${input} -1 | toJson`),
      ),
      'regexFindAll "a" "banana" -1 | typeOf',
      'regexSplit "a" "banana" -1 | typeOf',
      'regexSplit "a" "banana" 0 | typeOf',
      'regexSplit "a" "banana" 0',
      'regexFindAll "a" "banana" "1"',
      'regexMatch 1 "a"',
      'regexMatch "a" nil',
    ],
    'replaces by templates and literally': [
      ...inputs.flatMap(input =>
        each(
          ['regexReplaceAll', 'regexReplaceAllLiteral'],
          ['"-"', '"<$0>"', '"${1}x"', '"$1x"', '""'].map(to => `${input} ${to}`),
        ),
      ),
      ...each(
        ['mustRegexReplaceAll', 'mustRegexReplaceAllLiteral'],
        inputs.slice(0, 6).map(input => `${input} "<$0>"`),
      ),
      'regexReplaceAll "(?P<größe>b)" "b" "$größe"',
      'regexReplaceAll "(?P<n1>a)(b)" "xab" "$n1 ${n1}$2 $n2"',
      'regexReplaceAll "(?P<1x>a)(?P<01>b)" "xab" "$1x ${1x} $01 $1"',
      'regexReplaceAll "$" "a" "-"',
      ...each(
        ['regexReplaceAll "(?P<n>a)(?P<size>b)?(c)?" "xabcya"'],
        [
          ...list`
  "$n" ¦ "$n$größe" ¦ "$größe" ¦ "$3" ¦ "$4" ¦ "$nx" ¦ "$$n" ¦ "$" ¦ "$ n" ¦ "$-" ¦ "$1$2" ¦ "$01" ¦ "a$$$1" ¦
  "$١" ¦ "$n_" ¦ "$1_" ¦ "\\1" ¦ "$N" ¦ "$&" ¦ "$0$0" ¦ "$00" ¦
  "$size" ¦ "$n$size$größe" ¦ "$10" ¦ "$100000000" ¦ "$1x" ¦ "$000" ¦ "$n$" ¦ "$$"
`,
          '"${n}"',
          '"${3}"',
          '"${99}"',
          '"${}"',
          '"${n"',
          '"${n-}"',
          '"${01}"',
          '"${n}${n}"',
          ...['"${size}"', '"${0}"', '"${10}"', '"${00}"', '"${1x}"', '"${größe}"', '"${${1}1}"', '"${n}$$${size}"'],
        ],
      ),
      ...each(['regexQuoteMeta'], ['"a.b*c"', '"\\\\.+*?()|[]{}^$"', '"é-_ /#&~"', '""', '"a\\nb"', '"-"']),
    ],
    'refuses what is no expression': [
      ...each(['regexMatch', 'mustRegexMatch', 'regexFind', 'mustRegexFind'], broken),
      ...each(['regexFindAll', 'mustRegexFindAll', 'regexSplit', 'mustRegexSplit'], ['"[" "a" -1', '"`(" "a" 0']),
      ...each(
        list`
  regexReplaceAll ¦ mustRegexReplaceAll ¦ regexReplaceAllLiteral ¦ mustRegexReplaceAllLiteral
`,
        ['"[" "a" "b"'],
      ),
    ],
  },
}
