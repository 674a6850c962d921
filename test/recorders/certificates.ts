/** Records keys, and what sprig makes with them: `node test/recorders/certificates.ts`. Needs openssl. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { disposableDir } from '../bed/temp-dir.ts'
import { templateOracle } from '../bed/template-oracle.ts'
import { type RecordedCertificates, refused, wanted } from '../unit/engines/template/go-functions/certificates.ts'

await using oracle = await templateOracle()
await using dir = disposableDir()
const path = (name: string) => join(dir.path, name)
const openssl = (...args: string[]) => execFileSync('openssl', args, { encoding: 'utf8', stdio: 'pipe' })
const ask = async (template: string, data: unknown = {}): Promise<string> => {
  const { output, error } = await oracle.ask({ functions: 'sprig', template: `{{ ${template} }}`, data })
  return output ?? error!
}
const curve = (name: string) => openssl('ecparam', '-name', name, '-genkey', '-noout')

openssl('dsaparam', '-out', path('dsa'), '2048')
const keys: Record<string, string> = {
  rsa: openssl('genrsa', '-traditional', '2048'),
  ecdsa: await ask('genPrivateKey "ecdsa"'),
  ed25519: await ask('genPrivateKey "ed25519"'),
  p224: curve('secp224r1'),
  p384: curve('secp384r1'),
  p521: curve('secp521r1'),
  pkcs8: openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'),
  dsa: openssl('gendsa', path('dsa')),
}
writeFileSync(path('dsa.pem'), keys.dsa!)
keys.dsa = openssl('pkey', '-traditional', '-in', path('dsa.pem'))
keys.dsaPkcs8 = openssl('pkcs8', '-topk8', '-nocrypt', '-in', path('dsa.pem'))

writeFileSync(path('old.pem'), keys.rsa!)
openssl('req', '-new', '-key', path('old.pem'), '-subj', '/O=Old/CN=old ca', '-out', path('old.csr'))
const oldCertificate = openssl('x509', '-req', '-in', path('old.csr'), '-signkey', path('old.pem'), '-days', '9999')
const base64 = (text: string) => Buffer.from(text).toString('base64')
const data = { ...keys, oldCertificate, old: base64(oldCertificate), oldKey: base64(keys.rsa!) }

const made: Record<string, string> = {}
for (const [what, call] of Object.entries(wanted)) made[what] = await ask(`(${call}).Cert`, data)
const messages: Record<string, string> = {}
for (const call of refused) messages[call] = await ask(call, data)
const recorded: RecordedCertificates = { keys, oldCertificate, made, refused: messages }
const file = new URL('../unit/engines/template/go-functions/certificates.recorded.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(recorded, null, 1)}\n`)
