import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import fc from 'fast-check'
import { ageService } from '../../lib/engines/sops/keys/age-identities.ts'
import { hasSopsOracle, sopsOracle } from '../bed/sops-oracle.ts'
import { differenceFromSops } from './sops-difference.ts'
import { sopsRequests } from './sops-documents.ts'

const skip =
  hasSopsOracle() || process.env.CI ? false : 'the real sops is not built yet: npm run fuzz -- sops builds it'

test('decrypts what the real sops encrypts to the same bytes', { skip }, async () => {
  const identities = [await generateX25519Identity(), await generateX25519Identity()]
  const recipients = await Promise.all(identities.map(identity => identityToRecipient(identity)))
  await using oracle = await sopsOracle(identities.join('\n'))
  const services = { age: await ageService(identities) }
  const tally = { decrypted: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(sopsRequests(recipients), async request =>
      assert.equal(await differenceFromSops(oracle, request, services, tally), undefined),
    ),
    { seed: 3133, numRuns: Number(process.env.KEELSON_SOPS_RUNS ?? 60) },
  )
  assert.ok(tally.decrypted > tally.refused, `most documents could not be decrypted: ${JSON.stringify(tally)}`)
})
