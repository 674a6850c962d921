/** Records what openssl says of certificates and times, for fuzzing without it: `node test/recorders/openssl-evidence.ts`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { ocspRequest } from '../../lib/sources/verify/revocation/ocsp.ts'
import { readCertificate } from '../../lib/sources/verify/x509/certificate.ts'
import { opensslAuthority, signerExtensions } from '../bed/openssl-authority.ts'

const authority = opensslAuthority()
const point = 'http://crl.example/list'
const signer = authority.issue('signer', { extensions: [...signerExtensions, `crlDistributionPoints=URI:${point}`] })
authority.issue('bad')
authority.revoke('bad', '-crl_reason', 'keyCompromise')
const stamping = ['basicConstraints=CA:FALSE', 'keyUsage=digitalSignature', 'extendedKeyUsage=critical,timeStamping']
const tsa = authority.issue('tsa', { extensions: stamping })
const pair = {
  certificate: readCertificate(Buffer.from(signer.text)),
  issuer: readCertificate(Buffer.from(authority.root)),
}
const stamped = Buffer.from('stamped')
const evidence = {
  madeAt: new Date(Date.now() + 2000).toISOString(),
  root: authority.root,
  signer: signer.text,
  ocsp: authority.answer(ocspRequest(pair), authority.self).toString('base64'),
  list: authority.list().toString('base64'),
  stamped: stamped.toString(),
  token: authority.stamp(stamped, tsa).toString('base64'),
}
const file = join(import.meta.dirname, '../unit/sources/verify/openssl-evidence.json')
after(() => writeFileSync(file, `${JSON.stringify(evidence, null, 2)}\n`))
