/** Records what the real sops makes of the texts in `unsealed.ts`: `node test/recorders/sops-unsealed.ts`. */
import { writeFileSync } from 'node:fs'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { sopsOracle } from '../bed/sops-oracle.ts'
import { framed, unsealed } from '../unit/engines/sops/unsealed.ts'

const identity = await generateX25519Identity()
const recipient = await identityToRecipient(identity)
await using oracle = await sopsOracle(identity)

const metadata: Record<string, string> = {}
const lines: string[] = []
for (const [format, texts] of Object.entries(unsealed) as ['yaml' | 'ini', readonly string[]][]) {
  // The MAC is made of what is encrypted: it is that of any document in which nothing is.
  const rules = { encryptedRegex: '^$', macOnlyEncrypted: true }
  const empty = Buffer.from(format === 'yaml' ? '{}' : '')
  const { encrypted } = await oracle.ask({ format, text: empty, groups: [[recipient]], rules })
  metadata[format] = encrypted!.toString()
  for (const text of texts) {
    const document = Buffer.from(framed(text, metadata[format]))
    const { decrypted, error } = await oracle.ask({ format, text: document, decrypt: true })
    lines.push(JSON.stringify({ format, text, ...(error ? { error } : { decrypted: decrypted!.toString() }) }))
  }
}
writeFileSync(
  new URL('../unit/engines/sops/unsealed.recorded.json', import.meta.url),
  `{"identity":"${identity}","metadata":${JSON.stringify(metadata)},"documents":[\n${lines.join(',\n')}\n]}\n`,
)
