import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { StreamingHubApi } from '../api/browser-api.ts'

/** What all pages use: the hub, and the namespace that they are about. */
export interface Console {
  readonly api: StreamingHubApi
  /** All namespaces if absent. */
  readonly namespace: string | undefined
  /** Says in a corner what an action has done. */
  announce(text: string): void
}

const Current = createContext<Console | undefined>(undefined)

export const ConsoleProvider = Current.Provider

/** What all pages use. Only within a ConsoleProvider. */
export const useConsole = (): Console => useContext(Current)!
