import assert from 'node:assert/strict'
import { test } from 'node:test'
import { combineShares } from '../../../../lib/engines/sops/shamir.ts'

/** A share of one byte, at a place of the line through the secret. */
const line = (secret: number, slope: number, x: number): number => secret ^ times(slope, x)

/** Multiplication in GF(2^8) by repeated addition of shifted values; apart from the one that is tested. */
const times = (a: number, b: number): number => {
  let sum = 0
  for (let bit = 0; bit < 8; bit++) if (b & (1 << bit)) sum ^= a << bit
  for (let bit = 14; bit >= 8; bit--) if (sum & (1 << bit)) sum ^= 0x11b << (bit - 8)
  return sum
}

test('any two of three shares give the secret, one is not enough, and doubled ones are refused', () => {
  const secret = [...Buffer.from('a data key of thirty-two bytes!!')]
  const slopes = secret.map((_, i) => (i * 37 + 11) % 256)
  const share = (x: number) => Uint8Array.from([...secret.map((byte, i) => line(byte, slopes[i]!, x)), x])
  const [one, two, three] = [share(1), share(2), share(200)]
  for (const shares of [
    [one, two],
    [two, three],
    [three, one],
    [one, two, three],
  ])
    assert.deepEqual([...combineShares(shares)], secret)
  const message = (problem: string) => ({ message: `could not get data key from shamir parts: ${problem}` })
  assert.deepEqual([...combineShares([one, two].map(share => share.slice(-2)))], secret.slice(-1))
  assert.throws(() => combineShares([Uint8Array.of(1), Uint8Array.of(2)]), message('parts must be at least two bytes'))
  assert.throws(() => combineShares([one]), message('less than two parts cannot be used to reconstruct the secret'))
  assert.throws(() => combineShares([one, one]), message('duplicate part detected'))
  assert.throws(() => combineShares([one, two.slice(1)]), message('all parts must be the same length'))
})
