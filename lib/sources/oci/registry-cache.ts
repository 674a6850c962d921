import type { Challenge } from './challenge.ts'

/** A bounded cache of registries and tokens, so that the next check of an unchanged artifact takes one request. */
export interface RegistryCache {
  /** How to reach a registry, and its challenge; undefined if it is new. */
  readonly registries: Remembered<Registry>
  /** Tokens by scope and credentials. */
  readonly tokens: Remembered<Token>
}

export interface Registry {
  readonly scheme: 'http' | 'https'
  /** Absent if it requires no authentication. */
  readonly challenge?: Challenge
}

export interface Token {
  readonly authorization: string
  /** Milliseconds since the epoch. */
  readonly goodUntil: number
}

interface Remembered<T> {
  get(key: string): T | undefined
  set(key: string, value: T): void
  forget(key: string): void
}

const remembered = <T>(maxSize: number): Remembered<T> => {
  const values = new Map<string, T>()
  return {
    get: key => values.get(key),
    set(key, value) {
      values.delete(key)
      values.set(key, value)
      if (values.size > maxSize) values.delete(values.keys().next().value!)
    },
    forget: key => void values.delete(key),
  }
}

export const registryCache = (): RegistryCache => ({ registries: remembered(1_000), tokens: remembered(5_000) })
