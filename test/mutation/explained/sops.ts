import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('engines/sops')

const remembered = because('spares asking an expression twice about the same text')
const ours = because('nothing else is thrown: a fault of ours would stay one')
const toDebug = because('the cause is for whoever debugs: no message, status or event shows it')
const noNumber = because('with something around it, it is no number either way')

const remember = 'if (known.size < 1000) known.set(text, matched)'
const infinity = "const value = Number(text.replace(/^([-+]?)inf(inity)?$/i, '$1Infinity'))"

const lookedOver = because(
  'only whether it can be decoded matters, in which readings agree: keys that are no text are refused',
)
const decoded = "toJson(root, { schema: 'kyaml' })"

export const explained: readonly Explanation[] = [
  ...['true', 'false', 'known.size <= 1000', 'known.size >= 1000'].map(changed =>
    remembered('encryption-rule.ts', remember, `known.size < 1000 → ${changed}`),
  ),
  remembered('encryption-rule.ts', remember, 'known.set(text, matched) → ;'),
  toDebug(
    'encryption-rule.ts',
    "throw new SopsError('metadata', `${type} is not a regular expression`, { cause: error })",
    '{ cause: error } → {}',
  ),
  toDebug(
    'decrypt-documents.ts',
    "throw new SopsError('mac', `Cannot decrypt MAC: ${error.message}`, { cause: error })",
    '{ cause: error } → {}',
  ),
  toDebug(
    'keys/age-identities.ts',
    'throw new Error(reasonOf(error, identities.flat().length), { cause: error })',
    '{ cause: error } → {}',
  ),
  ...[
    'the encrypted data key is not an OpenPGP message',
    'no OpenPGP key fits, or the encrypted data key was changed',
    'no armored OpenPGP private key',
  ].map(message => toDebug('keys/open-pgp-keys.ts', `throw new Error('${message}', { cause })`, '{ cause } → {}')),
  toDebug('sops-error.ts', 'super(message, { cause })', '{ cause } → {}'),
  // Of a value, and of the MAC.
  ours(
    'decrypt-documents.ts',
    'if (!(error instanceof SopsError)) throw error',
    '!(error instanceof SopsError) → false',
  ),
  because('its message is told anew as what is wrong with a value')(
    'decrypt-documents.ts',
    "throw new SopsError('value', 'Expected encrypted value as string', { key: path.join('.') })",
    `'value' → ""`,
  ),
  lookedOver('formats/yaml-reader.ts', decoded, "{ schema: 'kyaml' } → {}"),
  lookedOver('formats/yaml-reader.ts', decoded, `'kyaml' → ""`),
  because('the type is missing from it as well')(
    'encrypted-value.ts',
    'const [, data, iv, tag, type] = envelope.exec(text) ?? []',
    '[] → ["Stryker was here"]',
  ),
  noNumber('encrypted-value.ts', infinity, '/^([-+]?)inf(inity)?$/i → /([-+]?)inf(inity)?$/i'),
  noNumber('encrypted-value.ts', infinity, '/^([-+]?)inf(inity)?$/i → /^([-+]?)inf(inity)?/i'),
  toDebug(
    'formats/yaml.ts',
    "throw new SopsError('format', `Error unmarshaling input YAML: ${message}`, { cause: error })",
    '{ cause: error } → {}',
  ),
]
