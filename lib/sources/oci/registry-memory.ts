import type { Challenge } from './challenge.ts'

/** What was learnt of registries, so that the next look at an unchanged artifact costs one request. Bounded. */
export interface RegistryMemory {
  /** How a registry is reached, and what it asks for; undefined = not met yet. */
  readonly registries: Remembered<Registry>
  /** Tokens by what they are for. */
  readonly tokens: Remembered<Token>
}

export interface Registry {
  readonly scheme: 'http' | 'https'
  /** Absent = it did not ask for anything. */
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

const remembered = <T>(most: number): Remembered<T> => {
  const values = new Map<string, T>()
  return {
    get: key => values.get(key),
    set(key, value) {
      values.delete(key)
      values.set(key, value)
      if (values.size > most) values.delete(values.keys().next().value!)
    },
    forget: key => void values.delete(key),
  }
}

export const registryMemory = (): RegistryMemory => ({ registries: remembered(1_000), tokens: remembered(5_000) })
