import { RecentlyUsed } from '../../foundations/budget/recently-used.ts'
import type { Challenge } from './challenge.ts'

/** A bounded cache of registries and tokens, so that the next check of an unchanged artifact takes one request. */
export interface RegistryCache {
  /** How to reach a registry, and its challenge; undefined if it is new. */
  readonly registries: RecentlyUsed<Registry>
  /** Tokens by scope and credentials. */
  readonly tokens: RecentlyUsed<Token>
}

export interface Registry {
  readonly scheme: 'http' | 'https'
  /** Absent if it requires no authentication. */
  readonly challenge?: Challenge
}

export interface Token {
  readonly authorization: string
  /** Milliseconds since the epoch. */
  readonly validUntil: number
}

/** An empty cache. It holds 1,000 registries and 5,000 tokens; those that were not used for longest go first. */
export const registryCache = (): RegistryCache => ({
  registries: new RecentlyUsed(1_000),
  tokens: new RecentlyUsed(5_000),
})
