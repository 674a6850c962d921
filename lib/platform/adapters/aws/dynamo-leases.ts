import type { Clock } from '../../ports/clock.ts'
import { LeaseLost, type Leases } from '../../ports/leases.ts'
import { leaseKey } from './item-keys.ts'
import { type Item, number, numberOf, type Table } from './table.ts'

/** Far longer than any lease, or any process that might still believe it holds one. */
const keptMs = 30 * 24 * 60 * 60_000

/**
 * One item per object with the token of its lease. The item outlives the lease, so that tokens increase; after DynamoDB has deleted it, tokens
 * start at the time of day, which exceeds all earlier ones. `unreleased` counts the acquisitions since the last release, including the current
 * holder's.
 */
export const dynamoLeases = (table: Table, clock: Clock): Leases => ({
  acquire: async (ref, ttlMs) => {
    for (;;) {
      const now = clock.now()
      const expiresAt = now + ttlMs
      const taken = await table.update({
        key: leaseKey(ref),
        update:
          'SET #token = if_not_exists(#token, :start) + :one, #held = :yes, #expiresAt = :expiresAt, #ttl = :ttl, #unreleased = if_not_exists(#unreleased, :zero) + :one REMOVE #dirty',
        condition: 'attribute_not_exists(#held) OR #held = :no OR #expiresAt <= :now',
        values: {
          ':start': number(now),
          ':zero': number(0),
          ':one': number(1),
          ':yes': { BOOL: true },
          ':no': { BOOL: false },
          ':now': number(now),
          ...lifeUntil(expiresAt, now),
        },
      })
      if (taken)
        return { ref, token: numberOf(taken, 'token')!, expiresAt, abandoned: numberOf(taken, 'unreleased')! - 1 }
      const marked = await table.update({
        key: leaseKey(ref),
        update: 'SET #dirty = :yes',
        condition: '#held = :yes AND #expiresAt > :now',
        values: { ':yes': { BOOL: true }, ':now': number(now) },
      })
      if (marked) return undefined
      // Released between our two requests: we may get it now.
    }
  },

  renew: async (lease, ttlMs) => {
    const now = clock.now()
    const expiresAt = now + ttlMs
    const renewed = await table.update({
      key: leaseKey(lease.ref),
      update: 'SET #expiresAt = :expiresAt, #ttl = :ttl',
      condition: isOurs,
      values: { ...ours(lease.token), ...lifeUntil(expiresAt, now) },
    })
    if (!renewed) throw new LeaseLost(lease)
    return { ...lease, expiresAt }
  },

  release: async (lease, abandoned = 0) => {
    const before = await table.updateFrom({
      key: leaseKey(lease.ref),
      update:
        abandoned === 0
          ? 'SET #held = :no REMOVE #dirty, #unreleased'
          : 'SET #held = :no, #unreleased = :abandoned REMOVE #dirty',
      condition: isOurs,
      values: {
        ...ours(lease.token),
        ':no': { BOOL: false },
        ...(abandoned > 0 && { ':abandoned': number(abandoned) }),
      },
    })
    return { dirty: before?.dirty?.BOOL ?? false }
  },

  abandonedOf: async ref => {
    const item = (await table.get(leaseKey(ref))) ?? {}
    const isHeld = item.held?.BOOL === true && (numberOf(item, 'expiresAt') ?? 0) > clock.now()
    return Math.max(0, (numberOf(item, 'unreleased') ?? 0) - (isHeld ? 1 : 0))
  },
})

const isOurs = '#token = :token AND #held = :yes'
const ours = (token: number): Item => ({ ':token': number(token), ':yes': { BOOL: true } })

const lifeUntil = (expiresAt: number, now: number): Item => ({
  ':expiresAt': number(expiresAt),
  ':ttl': number(Math.ceil((now + keptMs) / 1000)),
})
