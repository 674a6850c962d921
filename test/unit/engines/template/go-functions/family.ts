/** Functions that belong together, and calls of them by what they show. What Go makes of each call is recorded beside them. */
export interface Family {
  /** Whose functions are called: all that a chart has, those of a ResourceSet, or only those of Go itself. */
  readonly functions: 'sprig' | 'resourceset' | 'builtins'
  readonly calls: Readonly<Record<string, readonly string[]>>
}

/** Each of the functions with each of the arguments, or lists of arguments. */
export const each = (functions: readonly string[], args: readonly string[]): string[] =>
  functions.flatMap(name => args.map(arg => `${name} ${arg}`))

/** A template that makes the call and nothing else. */
export const templateOf = ({ functions }: Family, call: string): string =>
  functions === 'resourceset' ? `<< ${call} >>` : `{{ ${call} }}`

/** A value of every kind that a template comes by. */
export const values = [
  ...['nil', '.none', 'true', 'false', '0', '1', '-7', '(int64 5)', '(index "abc" 1)', '2.5', '-0.0', '1i', "'a'"],
  ...[
    '""',
    '"abc"',
    '"12"',
    '(list)',
    '(list 1 nil "b" "" "a" 1)',
    '(splitList "," "b,ä,b")',
    '(until 3)',
    '(rest list)',
  ],
  ...['(dict)', '(dict "b" 1 "a" nil "é" "x")', '(split "," "x,y")', '(toDate "2006" "2020")', '(semver "1.2.3-a+b")'],
]

/** Texts between the signs ¦, as they stand there. */
export function list({ raw }: TemplateStringsArray): string[] {
  return raw[0]!.trim().split(/\s*¦\s*/)
}
