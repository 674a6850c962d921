/** Receipts: a Run as the hub signed it is verified, and nothing else is. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createPublicKey } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { bundleFromJSON } from '@sigstore/bundle'
import { toSignedEntity, Verifier } from '@sigstore/verify'
import type { Run } from '../../../../lib/foundations/kinds/run.ts'
import { signedBytesOf } from '../../../../lib/foundations/rules/dsse.ts'
import {
  canonicalRun,
  contentOf,
  type RunStatement,
  runStatement,
} from '../../../../lib/foundations/rules/run-statement.ts'
import { sha256Hex } from '../../../../lib/foundations/rules/sha256.ts'
import { keyIdOf, verifyReceipt } from '../../../../lib/foundations/rules/verify-receipt.ts'
import { signRuns } from '../../../../lib/hub/runs/sign-run.ts'
import { KeysUnavailable } from '../../../../lib/platform/ports/keys.ts'
import { disposableDir } from '../../../bed/temp-dir.ts'
import { content, digest, foreignKey, place, receiptScene } from './receipt-scene.ts'

const reasonOf = (run: Run, keys: Parameters<typeof verifyReceipt>[1]): string => {
  const result = verifyReceipt(run, keys)
  return result.verified ? 'verified' : result.reason
}

const statementIn = ({ receipt }: Run): RunStatement =>
  JSON.parse(Buffer.from(receipt!.payload, 'base64').toString()) as RunStatement

test('a receipt names the revision, the digests of source, manifests and plan, the approvers and the cluster', async () => {
  const { store, read, publicKeys } = await receiptScene()
  await store(content)
  const run = await read()
  assert.equal(reasonOf(run, await publicKeys()), 'verified')
  const { subject, predicate, ...types } = statementIn(run)
  assert.deepEqual(types, {
    _type: 'https://in-toto.io/Statement/v1',
    predicateType: 'https://keelson.dev/run/v1',
  })
  assert.deepEqual(subject, [
    { name: 'run', digest: { sha256: sha256Hex(canonicalRun(contentOf(run))) } },
    { name: 'artifact', digest: { sha256: '1'.repeat(64) } },
    { name: 'manifests', digest: { sha256: '2'.repeat(64) } },
  ])
  const { unit, cluster, revision, plan, result, finishedAt } = content
  const named = { namespace: 'apps', name: place.name }
  assert.deepEqual(predicate, { run: named, unit, cluster, revision, plan, result, finishedAt })
})

test('the statement of a Run is the same in every version: it is not stored', () => {
  const text = JSON.stringify(runStatement(place, content, 'apps/edge'))
  assert.equal(sha256Hex(text), 'f9440c44ce4083d605014574041ad3b745796d3924e7d10f2f0b85f77865d761', text)
})

test('a changed character anywhere in a Run or its receipt is refused', async () => {
  const { store, read, publicKeys } = await receiptScene()
  await store(content)
  const [run, keys] = [await read(), await publicKeys()]
  const { metadata, ...rest } = run
  const { namespace, name } = metadata
  const signed = JSON.stringify({ ...rest, metadata: { namespace, name } })
  assert.equal(reasonOf(JSON.parse(signed), keys), 'verified')
  const fixed = new Set(['apiVersion', 'kind'].flatMap(field => indices(signed, JSON.stringify(rest[field as 'kind']))))
  let tried = 0
  for (let at = 0; at < signed.length; at++) {
    // The kind itself says which API this is, and is not part of the record.
    if (fixed.has(at)) continue
    const other = signed[at] === 'A' ? 'B' : 'A'
    const altered = parsed(`${signed.slice(0, at)}${other}${signed.slice(at + 1)}`)
    if (!altered) continue
    tried++
    assert.equal(verified(altered, keys), false, `${signed.slice(Math.max(0, at - 20), at)}[${other}]`)
  }
  assert.ok(tried > 1_000, `${tried} tried`)
})

const indices = (text: string, part: string): readonly number[] => {
  const at = text.indexOf(part)
  return Array.from(part, (_, more) => at + more)
}

const parsed = (text: string): Run | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Without fields that a Run must have, it is not verified either. */
const verified = (run: Run, keys: Parameters<typeof verifyReceipt>[1]): boolean => {
  try {
    return verifyReceipt(run, keys).verified
  } catch {
    return false
  }
}

test('a Run that was altered in the store is refused, and one whose receipt was removed has none', async () => {
  const { store, alter, read, publicKeys } = await receiptScene()
  await store(content)
  const keys = await publicKeys()
  await alter(now => ({ ...now, plan: { ...now.plan!, approvedBy: ['mallory'] } }))
  assert.match(
    reasonOf(await read(), keys),
    /has not signed what its receipt says: the Run, or its receipt, was changed/,
  )
  await alter(() => content)
  assert.equal(reasonOf(await read(), keys), 'verified')
  const { receipt: _, ...bare } = await read()
  assert.match(reasonOf(bare, keys), /has no receipt/)
  const result = verifyReceipt(bare, keys)
  assert.equal(!result.verified && result.isUnsigned, true)
})

test('the receipt of another Run, of another key, or without the key that it names is refused', async () => {
  const { store, read, publicKeys } = await receiptScene()
  await store(content)
  const [run, keys] = [await read(), await publicKeys()]
  const moved = { ...run, metadata: { ...run.metadata, name: 'kustomization-app-0mjk1q2w4' } }
  assert.match(reasonOf(moved, keys), /its receipt is that of Run apps\/kustomization-app-/)
  assert.match(reasonOf(run, [foreignKey()]), /names key [0-9a-f]{16}, which is none of the given keys/)
  assert.match(reasonOf(run, []), /none of the given keys \(none\)/)
  const forged = await receiptScene()
  await forged.store(content)
  const theirs = (await forged.read()).receipt!
  const asOurs = { ...theirs, signatures: [{ ...theirs.signatures[0]!, keyid: keyIdOf(keys[0]!) }] }
  assert.match(reasonOf({ ...run, receipt: asOurs }, keys), /has not signed what its receipt says/)
  const twice = { ...run.receipt!, signatures: [...run.receipt!.signatures, ...theirs.signatures] }
  assert.match(reasonOf({ ...run, receipt: twice }, keys), /one signature/)
})

test('later failures that are alike are counted without a new receipt', async () => {
  const { store, read, publicKeys, platform } = await receiptScene()
  await store({ ...content, result: 'Failed' })
  await platform.runs.repeat(place, Date.now())
  const run = await read()
  assert.equal(run.repeats, 1)
  assert.equal(reasonOf(run, await publicKeys()), 'verified')
})

test('after a rotation new Runs have the new key, and old ones stay verifiable; other processes follow', async () => {
  const { store, read, publicKeys, keys, otherKeys, clock } = await receiptScene()
  await store(content)
  const old = await read()
  const other = otherKeys()
  const bytes = Buffer.from('a')
  const first = (await other.sign(bytes)).keyId
  const { keyId } = await keys.rotate()
  await store(content)
  const all = await publicKeys()
  assert.deepEqual(all.map(keyIdOf), [keyId, first])
  const signers = [await read(), old].map(run => {
    assert.equal(reasonOf(run, all), 'verified')
    return run.receipt!.signatures[0]!.keyid
  })
  assert.deepEqual(signers, [keyId, first])
  await clock.advance(5 * 60_000)
  assert.equal((await other.sign(bytes)).keyId, keyId)
})

test('two processes that need the first key at the same time have one', async () => {
  const { keys, otherKeys } = await receiptScene()
  const other = otherKeys()
  const [one, two] = await Promise.all([keys.sign(Buffer.from('a')), other.sign(Buffer.from('a'))])
  assert.equal(one.keyId, two.keyId)
  assert.equal((await keys.list()).length, 1)
  const rotated = await Promise.all([keys.rotate(), other.rotate()])
  const ids = (await keys.list()).map(({ keyId }) => keyId)
  for (const { keyId } of rotated) assert.ok(ids.includes(keyId))
})

test('the store has neither the private key in clear, nor a public key that could be replaced', async () => {
  const { keys, platform } = await receiptScene()
  await keys.sign(Buffer.from('a'))
  const ref = { group: 'keelson.dev', kind: 'ReceiptKeys', namespace: '', name: 'receipts' }
  const { body } = (await platform.objects.get(ref))!
  const { publicKey } = (await keys.list())[0]!
  const stored = Buffer.from(body, 'base64')
  const der = Buffer.from(publicKey.replaceAll(/-----[^-]+-----|\n/g, ''), 'base64')
  assert.equal(stored.includes(der) || stored.includes('PUBLIC KEY') || stored.includes('privateKey'), false)
})

test('a Run whose key can not be used is recorded without a receipt, and one in progress has none', async () => {
  const errors: string[] = []
  const failing = { sign: () => Promise.reject(new KeysUnavailable('the key service is away')) }
  const sign = signRuns(failing, { error: message => errors.push(message) })
  assert.equal(await sign(place, content), undefined)
  assert.equal(errors.length, 1)
  const { store, read, publicKeys } = await receiptScene()
  const { finishedAt: _, ...open } = content
  await store({ ...open, result: 'Progressing' })
  const run = await read()
  assert.equal(run.receipt, undefined)
  assert.match(reasonOf(run, await publicKeys()), /still in progress: it is signed when it ends/)
})

test('a Run that a runner has reported says so in its statement', async () => {
  const { store, read } = await receiptScene()
  await store(content, 'apps/edge')
  assert.equal(statementIn(await read()).predicate.reportedBy, 'apps/edge')
})

test("openssl and sigstore's library verify a receipt, too, and refuse an altered one", async () => {
  const { store, read, keys } = await receiptScene()
  await store(content)
  const { receipt } = await read()
  const { publicKey, keyId } = (await keys.list())[0]!
  await using dir = disposableDir()
  const file = (name: string, bytes: Buffer | string): string => {
    writeFileSync(join(dir.path, name), bytes)
    return join(dir.path, name)
  }
  const { payloadType, payload, signatures } = receipt!
  const signed = signedBytesOf({ payloadType, payload: Buffer.from(payload, 'base64') })
  const sig = file('sig', Buffer.from(signatures[0]!.sig, 'base64'))
  const openssl = (bytes: Buffer): string => {
    const given = ['-verify', file('hub.pem', publicKey), '-signature', sig, file('signed', bytes)]
    return execFileSync('openssl', ['dgst', '-sha256', ...given], { stdio: 'pipe' }).toString()
  }
  assert.equal(openssl(signed), 'Verified OK\n')
  assert.throws(() => openssl(Buffer.concat([signed, Buffer.from(' ')])))

  const bundleOf = (dsseEnvelope: object) =>
    bundleFromJSON({
      mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
      verificationMaterial: { publicKey: { hint: keyId } },
      dsseEnvelope,
    })
  const trust = {
    ...{ certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [] },
    publicKey: () => ({ publicKey: createPublicKey(publicKey), validFor: () => true }),
  }
  const none = { tlogThreshold: 0, tsaThreshold: 0, ctlogThreshold: 0 }
  const verifier = new Verifier(trust, none)
  verifier.verify(toSignedEntity(bundleOf(receipt!)))
  const altered = Buffer.from(payload, 'base64').toString().replace(digest('1').slice(7), digest('4').slice(7))
  const other = { ...receipt!, payload: Buffer.from(altered).toString('base64') }
  assert.throws(() => verifier.verify(toSignedEntity(bundleOf(other))))
})
