import type { KeyServices } from '../../lib/engines/sops/data-key.ts'
import { decrypt } from '../../lib/engines/sops/decrypt.ts'
import { SopsError } from '../../lib/engines/sops/sops-error.ts'
import type { SopsOracle, SopsRequest } from '../bed/sops-oracle.ts'
import { type SeededRandom, seededRandom } from '../e2e/seeded-random.ts'

/**
 * Encrypts a document with the real sops and damages it in some ways. What of it ours takes and the real one does not, or
 * takes as something else; undefined when nothing. Ours may refuse more.
 */
export const damagedFrom = async (
  oracle: SopsOracle,
  request: SopsRequest,
  services: KeyServices,
  seed: number,
): Promise<string | undefined> => {
  const { encrypted } = await oracle.ask(request)
  if (!encrypted) return undefined
  const random = seededRandom(seed)
  for (let i = 0; i < 4; i++) {
    const damaged = damage(encrypted, random)
    const ours = await attempt(damaged, request, services)
    if (!(ours instanceof Uint8Array)) continue
    const { decrypted, error } = await oracle.ask({ format: request.format, text: damaged, decrypt: true })
    if (!error && decrypted?.equals(ours)) continue
    return `damaged:\n${damaged}\nours: ${Buffer.from(ours)}\nsops: ${error ?? decrypted}`
  }
  return undefined
}

/** Fails with anything but a plain refusal. */
const attempt = async (content: Uint8Array, { format }: SopsRequest, services: KeyServices): Promise<unknown> => {
  try {
    return await decrypt(content, { format, services })
  } catch (error) {
    if (error instanceof SopsError) return error
    throw error
  }
}

/** Flips a byte, or moves, doubles, swaps or drops lines. */
export const damage = (content: Uint8Array, random: SeededRandom): Buffer => {
  if (random.below(3) === 0) {
    const bytes = Buffer.from(content)
    if (bytes.length > 0) bytes[random.below(bytes.length)]! ^= 1 << random.below(7)
    return bytes
  }
  const lines = Buffer.from(content).toString('latin1').split('\n')
  const [a, b] = [random.below(lines.length), random.below(lines.length)]
  switch (random.below(4)) {
    case 0:
      lines.splice(a, 1)
      break
    case 1:
      lines.splice(a, 0, lines[b]!)
      break
    case 2:
      ;[lines[a], lines[b]] = [lines[b]!, lines[a]!]
      break
    default:
      lines[a] = lines[a]!.replace(/ENC\[.*?\]/, /ENC\[.*?\]/.exec(lines[b]!)?.[0] ?? 'x')
  }
  return Buffer.from(lines.join('\n'), 'latin1')
}
