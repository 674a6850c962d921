/**
 * Records what the real sops makes of documents, hand-made and generated, encrypted and decrypted again: `node test/recorders/sops.ts [documents] [seed]`.
 * The age identities that they are encrypted for are made anew, and are for these documents only.
 */
import { writeFileSync } from 'node:fs'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import fc from 'fast-check'
import { sopsOracle } from '../bed/sops-oracle.ts'
import { sopsRequests } from '../differential/sops-documents.ts'
import { handMade } from '../unit/engines/sops/hand-made.ts'

const [count = '120', seed = '7'] = process.argv.slice(2)
const identities = [await generateX25519Identity(), await generateX25519Identity()]
const recipients = await Promise.all(identities.map(identity => identityToRecipient(identity)))
await using oracle = await sopsOracle(identities.join('\n'))

const generated = fc.sample(sopsRequests(recipients), { numRuns: Number(count), seed: Number(seed) })
const written = handMade.map(([format, text, rules = {}]) => ({
  ...{ format, text: Buffer.from(text), groups: [recipients], rules },
}))
const documents = []
for (const request of [...written, ...generated]) {
  const { encrypted, decrypted, error } = await oracle.ask(request)
  if (!encrypted) continue // not a document for sops
  const outcome = error ? { error } : { decrypted: decrypted?.toString('latin1') }
  const text = Buffer.from(request.text).toString('latin1')
  documents.push({ format: request.format, text, encrypted: encrypted.toString('latin1'), ...outcome })
}
const lines = documents.map(document => JSON.stringify(document))
writeFileSync(
  new URL('../unit/engines/sops/decrypt.recorded.json', import.meta.url),
  `{"identities":${JSON.stringify(identities)},"documents":[\n${lines.join(',\n')}\n]}\n`,
)
