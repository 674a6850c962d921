import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type KeylessPolicy, requireKeyless } from '../../../../lib/sources/verify/cosign-keyless.ts'
import { NotVerified } from '../../../../lib/sources/verify/not-verified.ts'
import { publicGoodRoot } from '../../../../lib/sources/verify/sigstore/public-good.ts'

/** A real bundle of the public Sigstore, of the npm package sigstore 1.3.0: it was made once, and its certificate is long over. */
const bundle = readFileSync(join(import.meta.dirname, 'npm-sigstore-1.3.0.bundle.json'))
const payload = (content: Buffer) => JSON.parse(content.toString()).dsseEnvelope.payload as string
const statement = JSON.parse(Buffer.from(payload(bundle), 'base64').toString())
const digest = `sha512:${statement.subject[0].digest.sha512}`
const subject = '^https://github.com/sigstore/sigstore-js/'
const issuer = '^https://token.actions.githubusercontent.com$'

const judge = (policy: Partial<KeylessPolicy>, of = digest, content = bundle) =>
  requireKeyless({ bundles: [content], attached: [] }, of, { identities: [], trustedRoot: publicGoodRoot, ...policy })

const change = (edit: (bundle: Record<string, never>) => void) => {
  const changed = JSON.parse(bundle.toString())
  edit(changed)
  return Buffer.from(JSON.stringify(changed))
}

test('OC-067 OC-068 HC-050: a signature of the public Sigstore, by somebody whom one of the identities fits', async () => {
  await judge({ identities: [] })
  await judge({ identities: [{ subject, issuer }] })
  await judge({
    identities: [
      { subject: 'nobody', issuer: 'nowhere' },
      { subject, issuer },
    ],
  })
})

test('somebody else, or an issuer that is not expected, is refused', async () => {
  for (const identity of [
    { subject: '^https://github.com/evil/', issuer },
    { subject, issuer: '^https://accounts.google.com$' },
  ]) {
    await assert.rejects(judge({ identities: [identity] }), /none of the expected identities matched/)
  }
  await assert.rejects(judge({ identities: [{ subject: '(', issuer }] }), /is not a regular expression/)
})

test('a bundle of something else is refused, wherever it is found', async () => {
  await assert.rejects(judge({ identities: [] }, `sha256:${'0'.repeat(64)}`), /is for another artifact/)
  await assert.rejects(judge({ identities: [] }, `sha512:${'0'.repeat(128)}`), /is for another artifact/)
})

test('a bundle in which anything was changed is refused', async () => {
  const forged = { ...statement, subject: [{ name: 'x', digest: { sha256: '0'.repeat(64) } }] }
  const edits: readonly ((bundle: never) => void)[] = [
    ({ dsseEnvelope }: never) =>
      Object.assign(dsseEnvelope, { payload: Buffer.from(JSON.stringify(forged)).toString('base64') }),
    ({ verificationMaterial }: never) => Object.assign(verificationMaterial, { tlogEntries: [] }),
    ({ verificationMaterial: { tlogEntries } }: { verificationMaterial: { tlogEntries: object[] } }) =>
      Object.assign(tlogEntries[0]!, { integratedTime: '1900000000' }),
    ({ dsseEnvelope: { signatures } }: { dsseEnvelope: { signatures: { sig: string }[] } }) =>
      Object.assign(signatures[0]!, { sig: Buffer.alloc(70).toString('base64') }),
  ] as never
  const of = `sha256:${'0'.repeat(64)}`
  for (const [index, edit] of edits.entries()) {
    await assert.rejects(
      judge({ identities: [] }, index === 0 ? of : digest, change(edit as never)),
      NotVerified,
      String(index),
    )
  }
  await assert.rejects(judge({ identities: [] }, digest, Buffer.from('{}')), NotVerified)
})

test('OC-069: with a root of another Sigstore, the public one is not trusted', async () => {
  const { certificateAuthorities, tlogs, ...rest } = JSON.parse(Buffer.from(publicGoodRoot).toString())
  for (const part of [
    { certificateAuthorities, tlogs: [] },
    { certificateAuthorities: [], tlogs },
  ]) {
    const trustedRoot = Buffer.from(JSON.stringify({ ...rest, ...part }))
    await assert.rejects(judge({ identities: [], trustedRoot }), NotVerified)
  }
  await assert.rejects(judge({ identities: [], trustedRoot: Buffer.from('no root') }), /unable to parse trusted root/)
})
