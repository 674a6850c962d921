/** Documents that the real sops encrypted, and what it decrypts them to (`test/recorders/sops.ts`). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { remembering } from '../../../../lib/engines/sops/data-key.ts'
import { decrypt } from '../../../../lib/engines/sops/decrypt.ts'
import type { FormatName } from '../../../../lib/engines/sops/formats/format.ts'
import { formats } from '../../../../lib/engines/sops/formats/format-of.ts'
import { ageService } from '../../../../lib/engines/sops/keys/age-identities.ts'
import { SopsError } from '../../../../lib/engines/sops/sops-error.ts'
import { framed } from './unsealed.ts'

interface Recorded {
  readonly format: FormatName
  /** Bytes, as the characters of Latin-1; so are the others. */
  readonly text: string
  readonly encrypted: string
  readonly decrypted?: string
  readonly error?: string
}

const { identities, documents } = JSON.parse(
  readFileSync(new URL('decrypt.recorded.json', import.meta.url), 'utf8'),
) as { readonly identities: readonly string[]; readonly documents: readonly Recorded[] }
const services = { age: await ageService(identities) }

for (const format of ['yaml', 'json', 'dotenv', 'ini', 'binary'] as const)
  test(`decrypts ${format} as sops does`, async () => {
    for (const { encrypted, decrypted } of documents.filter(document => document.format === format)) {
      const plain = decrypt(Buffer.from(encrypted, 'latin1'), { format, services })
      if (decrypted === undefined) await assert.rejects(plain, SopsError)
      else assert.equal(Buffer.from(await plain).toString('latin1'), decrypted, encrypted)
    }
  })

for (const format of ['json', 'dotenv', 'ini'] as const)
  test(`reads ${format} that sops did not write, and writes it, as sops does`, () => {
    for (const { text, decrypted } of documents.filter(document => document.format === format)) {
      if (decrypted === undefined) continue
      const plain = formats[format].write(formats[format].read(Buffer.from(text, 'latin1')))
      assert.equal(Buffer.from(plain).toString('latin1'), decrypted, text)
    }
  })

const {
  identity,
  metadata,
  documents: unsealed,
} = JSON.parse(readFileSync(new URL('unsealed.recorded.json', import.meta.url), 'utf8')) as {
  readonly identity: string
  readonly metadata: Readonly<Record<FormatName, string>>
  readonly documents: readonly Omit<Recorded, 'encrypted'>[]
}
const service = remembering({ age: await ageService([identity]) })

for (const format of ['yaml', 'ini'] as const)
  test(`takes and refuses ${format} of all kinds as sops does`, async () => {
    for (const { text, decrypted } of unsealed.filter(document => document.format === format)) {
      const plain = decrypt(Buffer.from(framed(text, metadata[format])), { format, services: service })
      if (decrypted === undefined) await assert.rejects(plain, SopsError, JSON.stringify(text))
      else assert.equal(Buffer.from(await plain).toString(), decrypted, JSON.stringify(text))
    }
  })
