/**
 * Kubernetes' formats of names, label keys and label values. Each check returns the errors with Kubernetes' messages, or none. The regular
 * expressions are linear: they run on untrusted input.
 */

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const subdomain = String.raw`${label}(\.${label})*`
const qualifiedName = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const labelValue = `(${qualifiedName})?`

const isLabel = (value: string) => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(value)
const isSubdomain = (value: string) => value.split('.').every(isLabel)
const isQualifiedName = (value: string) => /^(?![-_.])[-A-Za-z0-9_.]*[A-Za-z0-9]$/.test(value)

const bytes = (value: string) => Buffer.byteLength(value)
const tooLong = (max: number, unit: 'bytes' | 'characters' = 'bytes') => `must be no more than ${max} ${unit}`

const mismatch = (rule: string, expression: string, ...examples: string[]) =>
  `${rule} (e.g. ${examples.map(example => `'${example}', `).join(' or ')}regex used for validation is '${expression}')`

/** A prefix may end in a hyphen, as more is appended. */
const completed = (prefix: string) => (prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix)

/** Names of namespaces; `isPrefix` for `generateName`. */
export const checkLabel = (name: string, isPrefix = false): string[] => {
  const value = isPrefix ? completed(name) : name
  const problems: string[] = []
  if (bytes(value) > 63) problems.push(tooLong(63, 'characters'))
  if (!isLabel(value))
    problems.push(
      isSubdomain(value)
        ? 'must not contain dots'
        : mismatch(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
            label,
            'my-name',
            '123-abc',
          ),
    )
  return problems
}

/** Names of Services (RFC 1035). */
export const checkDns1035Label = (name: string): string[] => {
  const problems: string[] = []
  if (bytes(name) > 63) problems.push(tooLong(63, 'characters'))
  if (!/^[a-z]/.test(name) || !isLabel(name))
    problems.push(
      mismatch(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
        '[a-z]([-a-z0-9]*[a-z0-9])?',
        'my-name',
        'abc-123',
      ),
    )
  return problems
}

/** Names of most objects; `isPrefix` for `generateName`. */
export const checkSubdomain = (name: string, isPrefix = false): string[] =>
  subdomainProblems(isPrefix ? completed(name) : name, 'characters')

/** Names that only need to fit into a path, like those of roles; `isPrefix` for `generateName`. */
export const checkPathSegment = (name: string, isPrefix = false): string[] => [
  ...(isPrefix ? [] : ['.', '..'].filter(whole => name === whole).map(whole => `may not be '${whole}'`)),
  ...['/', '%'].filter(part => name.includes(part)).map(part => `may not contain '${part}'`),
]

/** Kubernetes counts bytes in both cases, but calls them characters in names. */
const subdomainProblems = (value: string, unit: 'bytes' | 'characters'): string[] => {
  const problems: string[] = []
  if (bytes(value) > 253) problems.push(tooLong(253, unit))
  if (!isSubdomain(value))
    problems.push(
      mismatch(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
        subdomain,
        'example.com',
      ),
    )
  return problems
}

const qualifiedNameProblem = () =>
  mismatch(
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    qualifiedName,
    'MyName',
    'my.name',
    '123-abc',
  )

/** Keys of labels and annotations, names of finalizers. */
export const checkQualifiedName = (key: string): string[] => {
  const parts = key.split('/')
  if (parts.length > 2)
    return [
      `a valid label key ${qualifiedNameProblem()} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  const name = parts.at(-1)!
  const problems: string[] = []
  if (parts.length === 2) {
    if (parts[0] === '') problems.push('prefix part must be non-empty')
    else problems.push(...subdomainProblems(parts[0]!, 'bytes').map(problem => `prefix part ${problem}`))
  }
  if (name === '') problems.push('name part must be non-empty')
  else if (bytes(name) > 63) problems.push(`name part ${tooLong(63)}`)
  if (!isQualifiedName(name)) problems.push(`name part ${qualifiedNameProblem()}`)
  return problems
}

/**
 * A label value is empty, or at most 63 bytes of letters, digits, `-`, `_` and `.` that begin and end with a letter or
 * digit.
 */
export const checkLabelValue = (value: string): string[] => {
  const problems: string[] = []
  if (bytes(value) > 63) problems.push(tooLong(63))
  if (value !== '' && !isQualifiedName(value))
    problems.push(
      mismatch(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        labelValue,
        'MyValue',
        'my_value',
        '12345',
      ),
    )
  return problems
}
