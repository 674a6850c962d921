import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from './temp-dir.ts'

export interface IssueOptions {
  /** Lines of openssl's configuration. */
  readonly extensions?: readonly string[]
  /** openssl's, `YYMMDDHHMMSSZ`. */
  readonly from?: string
  readonly to?: string
  /** openssl's type and size of the key. */
  readonly key?: 'ec' | 'rsa:2048' | 'rsa:1024'
  /** Of the signature on the certificate. */
  readonly hash?: 'sha256' | 'sha1'
  /** Its number, in hexadecimal. */
  readonly serial?: string
}

/** Files of a certificate and its key. */
export interface Issued {
  readonly certificate: string
  readonly key: string
  /** PEM. */
  readonly text: string
}

export const authorityExtensions = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign']
export const signerExtensions = [
  'basicConstraints=CA:FALSE',
  'keyUsage=critical,digitalSignature',
  'extendedKeyUsage=codeSigning',
]

/** A certificate authority that openssl keeps, in a folder that goes with the running test. */
export const opensslAuthority = (commonName = 'authority', rootExtensions: readonly string[] = authorityExtensions) => {
  const folder = tempDir({
    'index.txt': '',
    'index.txt.attr': 'unique_subject = no\n',
    serial: '1000\n',
    crlnumber: '10\n',
    'ca.cnf': configuration(rootExtensions),
  })
  const at = (name: string) => join(folder, name)
  const openssl = (...args: string[]): Buffer =>
    execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: folder })

  const keyPair = (name: string, kind: NonNullable<IssueOptions['key']> = 'ec'): string => {
    const [type, size] = kind.split(':')
    const option = type === 'ec' ? 'ec_paramgen_curve:P-256' : `rsa_keygen_bits:${size}`
    openssl('genpkey', '-algorithm', type!.toUpperCase(), '-pkeyopt', option, '-out', `${name}.key`)
    return at(`${name}.key`)
  }

  const subject = (name: string) => `/C=US/ST=WA/O=Notary/CN=${name}`
  keyPair('ca')
  openssl(
    ...['req', '-x509', '-new', '-config', 'ca.cnf', '-extensions', 'root', '-key', 'ca.key', '-out', 'ca.pem'],
    ...['-days', '3650', '-subj', subject(commonName)],
  )

  const issue = (
    name: string,
    { extensions = signerExtensions, from, to, key: kind, hash = 'sha256', serial }: IssueOptions = {},
  ): Issued => {
    const key = keyPair(name, kind)
    writeFileSync(at(`${name}.cnf`), extensions.join('\n'))
    if (serial) writeFileSync(at('serial'), `${serial}\n`)
    openssl('req', '-new', '-config', 'ca.cnf', '-key', key, '-subj', subject(name), '-out', `${name}.csr`)
    openssl(
      ...['ca', '-batch', '-notext', '-config', 'ca.cnf', '-in', `${name}.csr`, '-out', `${name}.pem`, '-md', hash],
      ...[
        '-extfile',
        `${name}.cnf`,
        ...(from ? ['-startdate', from] : []),
        ...(to ? ['-enddate', to] : ['-days', '30']),
      ],
    )
    return { key, certificate: at(`${name}.pem`), text: readFileSync(at(`${name}.pem`), 'utf8') }
  }

  return {
    at,
    openssl,
    issue,
    name: commonName,
    /** PEM. */
    root: readFileSync(at('ca.pem'), 'utf8'),
    revoke: (name: string, ...reason: string[]) =>
      void openssl('ca', '-config', 'ca.cnf', '-revoke', `${name}.pem`, ...reason),
    /** A list of what was revoked, in DER. */
    list: (...options: string[]): Buffer => {
      openssl('ca', '-config', 'ca.cnf', '-gencrl', '-out', 'list.pem', ...options)
      return openssl('crl', '-in', 'list.pem', '-outform', 'DER')
    },
    /** What openssl's responder says to a request. */
    answer: (
      request: Buffer,
      { certificate, key }: Pick<Issued, 'certificate' | 'key'>,
      ...options: string[]
    ): Buffer => {
      writeFileSync(at('request.der'), request)
      openssl(
        ...['ocsp', '-index', 'index.txt', '-CA', 'ca.pem', '-rsigner', certificate, '-rkey', key],
        ...['-reqin', 'request.der', '-respout', 'answer.der', ...(options.length > 0 ? options : ['-nmin', '10'])],
      )
      return readFileSync(at('answer.der'))
    },
    /** The authority itself, to answer with. */
    self: { certificate: at('ca.pem'), key: at('ca.key') },
    /** A token of a time-stamping authority (RFC 3161) for some bytes, now. */
    stamp: (
      content: Uint8Array,
      { certificate, key }: Issued,
      changes: Readonly<Record<string, string>> = {},
    ): Buffer => {
      const settings = { ...stampSettings, signer_cert: certificate, certs: at('ca.pem'), signer_key: key, ...changes }
      const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
      writeFileSync(at('ts.cnf'), `[tsa]\ndefault_tsa = it\n[it]\n${lines.join('\n')}\n`)
      writeFileSync(at('stamped'), content)
      openssl('ts', '-query', '-config', 'ts.cnf', '-data', 'stamped', '-sha256', '-cert', '-out', 'query.tsq')
      openssl('ts', '-reply', '-config', 'ts.cnf', '-queryfile', 'query.tsq', '-token_out', '-out', 'token.der')
      return readFileSync(at('token.der'))
    },
  }
}

export type OpensslAuthority = ReturnType<typeof opensslAuthority>

const stampSettings = {
  serial: 'tsaserial',
  signer_digest: 'sha256',
  default_policy: '1.2.3.4',
  digests: 'sha256',
  accuracy: 'secs:1',
  ess_cert_id_alg: 'sha256',
}

const configuration = (rootExtensions: readonly string[]) => `
[ca]
default_ca = it
[it]
database = index.txt
new_certs_dir = .
serial = serial
crlnumber = crlnumber
certificate = ca.pem
private_key = ca.key
default_md = sha256
default_crl_days = 1
policy = any
[any]
countryName = optional
stateOrProvinceName = optional
organizationName = optional
commonName = supplied
[req]
distinguished_name = name
[name]
[root]
${rootExtensions.join('\n')}
`
