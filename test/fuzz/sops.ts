import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import fc from 'fast-check'
import { ageService } from '../../lib/engines/sops/keys/age-identities.ts'
import { sopsOracle } from '../bed/sops-oracle.ts'
import { damagedFrom } from '../differential/sops-damage.ts'
import { differenceFromSops } from '../differential/sops-difference.ts'
import { sopsRequests } from '../differential/sops-documents.ts'
import type { FuzzSettings } from './run.ts'

export const description =
  'documents encrypted by the real sops, whole and damaged: decrypted to the same bytes, or refused'

export const run = async ({ seed, until }: FuzzSettings): Promise<void> => {
  const identities = [await generateX25519Identity(), await generateX25519Identity()]
  const recipients = await Promise.all(identities.map(identity => identityToRecipient(identity)))
  await using oracle = await sopsOracle(identities.join('\n'))
  const services = { age: await ageService(identities) }
  const tally = { decrypted: 0, refused: 0 }
  for (let round = seed; performance.now() < until; round++) {
    for (const request of fc.sample(sopsRequests(recipients), { numRuns: 50, seed: round })) {
      const found =
        (await differenceFromSops(oracle, request, services, tally)) ??
        (await damagedFrom(oracle, request, services, round))
      if (found === undefined) continue
      console.log(`seed ${round}, ${request.format} ${JSON.stringify(request.rules)}\n${request.text}\n${found}`)
      process.exitCode = 1
      return
    }
  }
  console.log(`no difference: ${tally.decrypted} decrypted, ${tally.refused} refused`)
}
