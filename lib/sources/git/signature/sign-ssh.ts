import { createHash } from 'node:crypto'
import { readDer, valuesOf } from '../../../foundations/der/read-der.ts'
import { sshString } from '../../../foundations/ssh/wire.ts'
import type { SignCommit } from '../push/write-commit.ts'
import { convertPkcs8, hasPassphrase } from '../ssh/private-key.ts'

/** The key can't be used. The message quotes nothing of it. */
export class InvalidSigningKey extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'InvalidSigningKey'
  }
}

const magic = Buffer.from('SSHSIG')
const version = Buffer.from([0, 0, 0, 1])

/** Signs with an SSH private key, in the format of `ssh-keygen -Y sign` for git. Fails with InvalidSigningKey. */
export const sshSigner = async (identity: string, passphrase: string | undefined): Promise<SignCommit> => {
  const { utils } = (await import('ssh2')).default
  const { pem, passphrase: rest } = convertPkcs8(identity, passphrase)
  const key = utils.parseKey(pem, rest)
  if (key instanceof Error || Array.isArray(key) || !key.isPrivateKey())
    throw new InvalidSigningKey(hasPassphrase(identity) ? 'x509: decryption password incorrect' : 'ssh: no key found')
  return async payload => {
    const parts = [Buffer.from('git'), Buffer.alloc(0), Buffer.from('sha512')].map(sshString)
    const digest = sshString(createHash('sha512').update(payload).digest())
    const message = Buffer.concat([magic, ...parts, digest])
    const isRsa = key.type === 'ssh-rsa'
    const signed = key.sign(message, ...(isRsa ? ['sha512'] : []))
    if (signed instanceof Error) throw new InvalidSigningKey('the SSH key can not sign')
    const algorithm = isRsa ? 'rsa-sha2-512' : key.type
    const value = key.type.startsWith('ecdsa-') ? integersOf(signed) : signed
    const signature = Buffer.concat([Buffer.from(algorithm), value].map(sshString))
    const blob = Buffer.concat([magic, version, sshString(key.getPublicSSH()), ...parts, sshString(signature)])
    const lines = blob
      .toString('base64')
      .match(/.{1,70}/g)!
      .join('\n')
    return `-----BEGIN SSH SIGNATURE-----\n${lines}\n-----END SSH SIGNATURE-----\n`
  }
}

/** The two numbers of an ECDSA signature as SSH writes them: DER's integers have the same bytes. */
const integersOf = (der: Buffer): Buffer =>
  Buffer.concat(valuesOf(readDer(der).content).map(({ content }) => sshString(content)))
