import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { endWithTest } from './teardown.ts'
import { disposableDir } from './temp-dir.ts'

interface ChainOptions {
  /** openssl's, for the signer's key: `ec:P-256`, `rsa:3072`. */
  readonly key?: string
  readonly subject?: string
  /** Lines of openssl's configuration, of the signer's certificate. */
  readonly extensions?: readonly string[]
  /** The certificates' days; negative = they have expired. */
  readonly days?: number
}

export interface SigningChain {
  /** A file: PKCS #8, PEM. */
  readonly key: string
  /** A file: the signer's certificate and the root's, PEM. */
  readonly chain: string
  readonly root: string
  readonly leaf: string
}

const signing = ['basicConstraints=CA:FALSE', 'keyUsage=critical,digitalSignature', 'extendedKeyUsage=codeSigning']

/** A root and a certificate by which artifacts may be signed, made by openssl. The folder goes with the running test. */
export const signingChain = ({
  key = 'ec:P-256',
  subject = '/C=US/ST=WA/L=Seattle/O=Notary/CN=signer',
  extensions = signing,
  days = 1,
}: ChainOptions = {}): SigningChain => {
  const folder = endWithTest(disposableDir()).path
  const at = (name: string) => join(folder, name)
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: folder })
  const [type, size] = key.split(':') as ['ec' | 'rsa', string]
  const option = type === 'ec' ? `ec_paramgen_curve:${size}` : `rsa_keygen_bits:${size}`
  openssl('genpkey', '-algorithm', type.toUpperCase(), '-pkeyopt', option, '-out', at('key.pem'))
  openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', at('root.key'))
  const authority = ['-addext', 'basicConstraints=critical,CA:TRUE', '-addext', 'keyUsage=critical,keyCertSign']
  openssl(
    ...['req', '-x509', '-new', '-config', '/dev/null', '-key', at('root.key'), '-out', at('root.pem'), '-days', '2'],
    ...['-subj', '/C=US/ST=WA/O=Notary/CN=root'],
    ...authority,
  )
  openssl('req', '-new', '-config', '/dev/null', '-key', at('key.pem'), '-subj', subject, '-out', at('leaf.csr'))
  writeFileSync(at('leaf.cnf'), extensions.join('\n'))
  const issue = ['x509', '-req', '-in', 'leaf.csr', '-CA', 'root.pem', '-CAkey', 'root.key', '-extfile', 'leaf.cnf']
  const dates = days > 0 ? ['-days', String(days)] : ['-not_before', '20240101000000Z', '-not_after', '20240102000000Z']
  openssl(...issue, ...dates, '-out', 'leaf.pem')
  writeFileSync(at('chain.pem'), readFileSync(at('leaf.pem'), 'utf8') + readFileSync(at('root.pem'), 'utf8'))
  return {
    key: at('key.pem'),
    chain: at('chain.pem'),
    root: readFileSync(at('root.pem'), 'utf8'),
    leaf: readFileSync(at('leaf.pem'), 'utf8'),
  }
}
