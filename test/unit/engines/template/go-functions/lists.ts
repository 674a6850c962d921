import { each, type Family, list, values } from './family.ts'

const taking = ['first', 'last', 'rest', 'initial', 'reverse', 'compact', 'uniq']

export const family: Family = {
  functions: 'sprig',
  calls: {
    'takes parts of lists, and names what is no list': [
      ...each(taking, values),
      ...each(
        taking.map(name => `must${name[0]!.toUpperCase()}${name.slice(1)}`),
        ['(list 1 "" nil 1 2)', 'nil', '3', '(list)'],
      ),
      ...each(taking, ['(list)', '(list nil 0 "a")', '(splitList "," "b,a,b")', '(rest list)']).map(
        call => `${call} | toJson`,
      ),
      ...each(taking, ['(list 1)', '(until 2)']).map(call => `${call} | typeOf`),
    ],
    'adds to lists without changing them': [
      ...each(
        ['append', 'push', 'prepend', 'mustAppend', 'mustPush', 'mustPrepend'],
        list`
  (list 1 2) 3 ¦ (list) nil ¦ 3 1 ¦ nil 1 ¦ (splitList "," "a,b") 1 ¦ "a" 1 ¦ (dict) 1
`,
      ),
      '$l := list 1 2 }}{{ $m := append $l 3 }}{{ $n := prepend $l 0 }}{{ $l }}{{ $m }}{{ $n',
      '$l := list 3 1 "" }}{{ $m := reverse $l }}{{ $n := compact $l }}{{ $l }}{{ $m }}{{ $n',
      ...each(
        ['concat'],
        [
          ...list`
  (list 1) (list 2 3) ¦ (list) (splitList "," "a,b") (until 2) ¦ (list 1) 2 ¦ nil ¦ (list (list 1)) (list nil) ¦
  "a"
`,
          '',
        ],
      ),
      'concat | toJson',
      'concat (list) | toJson',
      'list | toJson',
      'list 1 nil | toJson',
      'tuple 1 "a" | typeOf',
      'concat (until 2) | typeOf',
    ],
    'finds by deep equality': [
      ...each(
        ['has', 'mustHas'],
        list`
  1 (list 1 2) ¦ (int64 1) (list 1 2) ¦ "a" (splitList "," "a") ¦ "a" nil ¦ nil (list nil) ¦ nil (list) ¦
  1 "a" ¦ 1 1 ¦ (list 1) (list (list 1)) ¦ (dict "a" 1) (list (dict "a" 1)) ¦ 1 (dict) ¦ 1.0 (list 1) ¦
  nil nil
`,
      ),
      ...each(
        ['without', 'mustWithout'],
        [
          ...list`
  (list 1 2 3 1) 1 ¦ (list 1 2 3) 1 3 ¦ (list 1 2) ¦ (list (list 1) (list 2)) (list 1) ¦
  (splitList "," "a,b") "a" ¦ nil 1 ¦ 3 1 ¦ (list nil 1) nil
`,
          '',
        ],
      ),
      'uniq (list 1 (int64 1) 1.0 "1" 1 "1")',
      'uniq (list (list 1) (list 1) (dict "a" 1) (dict "a" 1) nil nil)',
      'uniq (list (list "a b") (list "a" "b") "[a b]" "[a b]")',
    ],
    'chunks are of any size, and what prints alike is not the same': [
      'chunk 0 (list)',
      'chunk 0 (list 1)',
      'chunk -1 (list)',
      'chunk -1 (list 1)',
      'chunk -1 (list 1 2)',
      'chunk -2 (list 1 2)',
      'chunk -2 (list 1)',
      'chunk -3 (list 1 2 3 4 5)',
      'chunk -2 (list 1 2 3)',
      'chunk 1 (list)',
      'chunk 5 (list)',
      'chunk -9223372036854775808 (list 1 2)',
      'chunk 0 (list 1 2) | len',
      'chunk -5 (list 1 2 3) | len',
      'uniq (list 1 "1" 1 "1" 1.0)',
    ],
    'slices and chunks': [
      ...each(
        ['slice (list 1 2 3)', 'mustSlice (list 1 2 3)', 'slice (splitList "," "a,b,c")'],
        [
          ...list`
  0 ¦ 1 ¦ 3 ¦ 4 ¦ -1 ¦ 0 0 ¦ 0 1 ¦ 1 3 ¦ 0 3 ¦ 3 3 ¦ 0 4 ¦ 2 1 ¦ 1 "2" ¦ nil ¦ 1 nil ¦ 1.9 ¦ 1 2 3
`,
          '',
        ],
      ),
      ...each(['slice', 'mustSlice'], ['(list)', '(list) 1 2', 'nil', '"abc" 1', '3', '(dict)', 'nil 1']),
      'slice (splitList "," "a,b,c") 1 | typeOf',
      'slice (list 1 2) 1 | typeOf',
      ...each(
        ['chunk', 'mustChunk'],
        list`
  1 (list 1 2) ¦ 2 (list 1 2 3) ¦ 3 (list 1 2 3) ¦ 5 (list 1) ¦ 2 (list) ¦ 0 (list) ¦ 0 (list 1) ¦
  -1 (list 1 2) ¦ 2 nil ¦ 2 "a" ¦ 2 (until 5) ¦ "a" (list)
`,
      ),
      'chunk 2 (until 5) | typeOf',
      'chunk 2 (until 5) | toJson',
      'chunk 2 (list) | toJson',
      'index (chunk 2 (until 5)) 1 | typeOf',
    ],
  },
}
