import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createMessage, encrypt, generateKey, readKey, readPrivateKey, sign } from 'openpgp'
import { parseOpenPgpRequest, sample } from '../../../events/open-pgp.ts'
import { handleOpenPgp } from '../../../lib/compose/aws/handle-open-pgp.ts'
import { openPgpByFunction } from '../../../lib/compose/aws/open-pgp-function.ts'
import { openPgp as local } from '../../../lib/compose/open-pgp.ts'
import { CloudError } from '../../../lib/platform/cloud/cloud-error.ts'
import type { OpenPgp } from '../../../lib/platform/ports/open-pgp.ts'

// What a function of its own answers, and what this process would, are the same.

const credentials = { accessKeyId: 'AKIA', secretAccessKey: 'secret' }

const asking = (answer: (body: string, url: string) => Promise<Response>): OpenPgp =>
  openPgpByFunction(
    { fetch: (url, { body = '' }) => answer(body, url) as never, clock: { now: Date.now }, environment: {} },
    { functionName: 'hub-openpgp', region: 'eu-west-1', identity: async () => credentials },
  )

const remote = asking(async body => Response.json(await handleOpenPgp(local, parseOpenPgpRequest(JSON.parse(body)))))

const userIDs = [{ name: 'Team' }]
let keys: { privateKey: string; publicKey: string }
let stranger: { privateKey: string; publicKey: string }

before(async () => {
  keys = await generateKey({ userIDs, type: 'curve25519' })
  stranger = await generateKey({ userIDs, type: 'curve25519' })
})

const signed = async (payload: string): Promise<string> =>
  sign({
    message: await createMessage({ binary: Buffer.from(payload) }),
    signingKeys: await readPrivateKey({ armoredKey: keys.privateKey }),
    detached: true,
  }) as Promise<string>

for (const [where, openPgp] of Object.entries({ 'in this process': local, 'by a function': remote })) {
  test(`OpenPGP ${where} reports the signer, and refuses other signatures`, async () => {
    const id = (await readKey({ armoredKey: keys.publicKey })).getKeyID().toHex().toUpperCase()
    const signature = await signed('text')
    const payload = Buffer.from('text')
    assert.equal(await openPgp.verify(payload, signature, [stranger.publicKey, keys.publicKey]), id)
    const noMatch = /unable to verify payload with any of the given key rings/
    await assert.rejects(openPgp.verify(payload, signature, [stranger.publicKey]), noMatch)
    await assert.rejects(openPgp.verify(Buffer.from('other'), signature, [keys.publicKey]), noMatch)
    await assert.rejects(openPgp.verify(payload, signature, ['nonsense']), /unable to read armored key ring/)
  })

  test(`OpenPGP ${where} signs with a key, also with one that has a passphrase`, async () => {
    const payload = Buffer.from('text')
    const locked = await generateKey({ userIDs, passphrase: 'secret' })
    for (const [key, passphrase, publicKey] of [
      [keys.privateKey, undefined, keys.publicKey],
      [locked.privateKey, 'secret', locked.publicKey],
    ] as const)
      await openPgp.verify(payload, await openPgp.sign(payload, key, passphrase), [publicKey])
    await assert.rejects(openPgp.sign(payload, locked.privateKey, 'wrong'), /^Error: could not decrypt private key/)
    await assert.rejects(openPgp.sign(payload, locked.privateKey), /without 'passphrase' field$/)
    await assert.rejects(openPgp.sign(payload, 'nonsense'), /^Error: could not read signing key/)
  })

  test(`OpenPGP ${where} opens what was encrypted for one of its keys`, async () => {
    const encryptionKeys = await readKey({ armoredKey: keys.publicKey })
    const data = Buffer.from([0, 255, 7])
    const armored = (await encrypt({ message: await createMessage({ binary: data }), encryptionKeys })) as string
    assert.deepEqual(Buffer.from(await openPgp.decrypt(armored, [stranger.privateKey, keys.privateKey])), data)
    await assert.rejects(openPgp.decrypt(armored, [stranger.privateKey]), /no OpenPGP key fits/)
    await openPgp.checkPrivateKeys(keys.privateKey)
    await assert.rejects(openPgp.checkPrivateKeys('nonsense'), /^Error: no armored OpenPGP private key$/)
    const locked = await generateKey({ userIDs, passphrase: 'x' })
    await assert.rejects(openPgp.checkPrivateKeys(locked.privateKey), /protected by a passphrase/)
  })
}

test('a function that fails has verified nothing, and is invoked again', async () => {
  const crashed = asking(async () => Response.json({ errorMessage: 'out of memory', errorType: 'Runtime.ExitError' }))
  await assert.rejects(crashed.checkPrivateKeys('x'), (error: Error) => {
    assert.ok(error instanceof CloudError)
    return /the function hub-openpgp failed/.test(error.message)
  })
  const urls: string[] = []
  const gone = asking(async (_, url) => {
    urls.push(url)
    return Response.json({ Message: 'Function not found' }, { status: 404 })
  })
  await assert.rejects(gone.checkPrivateKeys('x'), CloudError)
  assert.deepEqual(urls, ['https://lambda.eu-west-1.amazonaws.com/2015-03-31/functions/hub-openpgp/invocations'])
})

test('reads requests, and says which field of another is wrong without showing it', () => {
  assert.deepEqual(parseOpenPgpRequest(sample), sample)
  assert.throws(() => parseOpenPgpRequest({ operation: 'forge' }), /operation is "forge"/)
  assert.throws(
    () => parseOpenPgpRequest({ operation: 'decrypt', armored: 'x', privateKeys: 'hunter2' }),
    /: privateKeys is not a list of strings$/,
  )
})
