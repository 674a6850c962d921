import assert from 'node:assert/strict'
import { test } from 'node:test'
import { armor, Encrypter, generateIdentity } from 'age-encryption'
import { generateKey } from 'openpgp'
import { ageService, readAgeIdentities } from '../../../../lib/engines/sops/keys/age-identities.ts'
import { openPgpService, readOpenPgpKeys } from '../../../../lib/engines/sops/keys/open-pgp-keys.ts'
import { ageLock, pgpLock } from '../../../bed/encrypt-sops.ts'
import { identity, recipient } from './fixed-key.ts'

const dataKey = Buffer.from('a data key of thirty-two bytes!!')
const armored = async (lock: ReturnType<typeof ageLock>): Promise<string> => String((await lock(dataKey))[1].enc)
const sealedForAge = await armored(ageLock(recipient))

test('age identities are one per line, with comments between them', async () => {
  assert.deepEqual(await readAgeIdentities(`# mine\r\n\n  ${identity}  \r\n#${identity}\n`), [identity])
  const service = await ageService(['# none', identity])
  assert.deepEqual(Buffer.from(await service({ type: 'age', recipient, encrypted: sealedForAge })), dataKey)
})

test('what is no age identity is refused, without a word of it', async () => {
  const refused = (text: string, message: string) => assert.rejects(readAgeIdentities(text), { message })
  await refused('AGE-PLUGIN-YUBIKEY-1HUSH', 'age plugins are not supported')
  await refused(`x${identity}`, 'unknown identity type')
  await refused('hush', 'unknown identity type')
  await refused(`${identity}\nAGE-SECRET-KEY-1HUSH`, 'malformed secret key')
  await refused('AGE-SECRET-KEY-PQ-1HUSH', 'malformed secret key')
})

test('a data key that age does not open says why', async () => {
  const service = await ageService([identity])
  const refused = async (encrypted: string, message: string) =>
    assert.rejects(async () => service({ type: 'age', recipient, encrypted }), { message })
  const failed = 'failed to create reader for decrypting sops data key with age: '
  const other = new Encrypter()
  other.setPassphrase('x')
  other.setScryptWorkFactor(1)
  const forAnother = armor.encode(await other.encrypt(dataKey))
  const noMatch = 'identity did not match any of the recipients: incorrect identity for recipient block'
  await refused(forAnother, failed + noMatch)
  const two = await ageService([identity, await generateIdentity()])
  const message = `${failed}no identity matched any of the recipients`
  await assert.rejects(async () => two({ type: 'age', recipient, encrypted: forAnother }), { message })
  await refused('hush', `${failed}it is malformed or was changed`)
  const lines = sealedForAge.split('\n')
  await refused(lines.toSpliced(1, 1).join('\n'), `${failed}it is malformed or was changed`)
  await refused('x'.repeat(64 * 1024), `${failed}it is malformed or was changed`)
  await refused('x'.repeat(64 * 1024 + 1), 'the encrypted data key is too long')
})

const pgp = (passphrase?: string) =>
  generateKey({ userIDs: [{ name: 'x' }], format: 'armored', ...(passphrase && { passphrase }) })

test('an OpenPGP key opens what is encrypted for it, and says why it does not open the rest', async () => {
  const [mine, theirs] = [await pgp(), await pgp()]
  const service = await openPgpService([theirs.privateKey, mine.privateKey])
  const encrypted = await armored(pgpLock(mine.publicKey))
  assert.deepEqual(Buffer.from(await service({ encrypted })), dataKey)
  const together = await openPgpService([`${theirs.privateKey}\n${mine.privateKey}`])
  assert.deepEqual(Buffer.from(await together({ encrypted })), dataKey, 'of several keys in one text, too')
  const stranger = await openPgpService([theirs.privateKey])
  await assert.rejects(stranger({ encrypted }), {
    message: 'no OpenPGP key fits, or the encrypted data key was changed',
  })
  const none = { message: 'the encrypted data key is not an OpenPGP message' }
  await assert.rejects(service({ encrypted: 'hush' }), none)
  await assert.rejects(service({ encrypted: 'x'.repeat(256 * 1024) }), none)
  await assert.rejects(service({ encrypted: 'x'.repeat(256 * 1024 + 1) }), {
    message: 'the encrypted data key is too long',
  })
})

test('what is no OpenPGP private key, or has a passphrase, is refused', async () => {
  const { publicKey } = await pgp()
  for (const text of ['hush', publicKey])
    await assert.rejects(readOpenPgpKeys(text), { message: 'no armored OpenPGP private key' })
  const { privateKey } = await pgp('hush')
  const { privateKey: open } = await pgp()
  await assert.rejects(readOpenPgpKeys(`${open}\n${privateKey}`), {
    message: 'the OpenPGP key is protected by a passphrase',
  })
})
