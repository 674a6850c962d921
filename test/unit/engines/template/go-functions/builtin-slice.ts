import { each, type Family, list } from './family.ts'

/** Where sprig has no function of the same name. */
export const family: Family = {
  functions: 'builtins',
  calls: {
    'slices lists and text': [
      ...each(
        [
          'slice "héllo"',
          'slice "abc"',
          'slice (slice "abc" 1)',
          'slice .none',
          'slice nil',
          'slice 1',
          'slice true',
          'slice 1.5',
        ],
        list`0 ¦ 1 ¦ 3 ¦ 4 ¦ 7 ¦ -1 ¦ 0 0 ¦ 1 2 ¦ 1 3 ¦ 2 1 ¦ 0 4 ¦ 1 -1 ¦ "a" ¦ nil ¦ 1 nil ¦ 0 1 2 ¦ 0 1 2 3 ¦ 1.0 ¦ 3 3 ¦ 1i`,
      ),
      ...each(['slice'], ['', '"abc"', '1', 'nil', '.none', '.']),
      ...each(
        [
          'slice . 0',
          'index . 0',
          'index . nil',
          'index . "a"',
          'index . "a" "b"',
          'len .',
          'html .',
          'eq . .',
          'eq . nil',
          'lt . .',
        ],
        [''],
      ),
      ...each(['len', 'index'], ['nil', '.none', '""', '"é"', '1', '.', '(print 1)']),
      'not .none',
      'and .none 1',
      'or .none 1',
    ],
  },
}
