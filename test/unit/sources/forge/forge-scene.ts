import { after } from 'node:test'
import { connections } from '../../../../lib/platform/http/connections.ts'
import type { ForgeSession, ForgeSessionOptions } from '../../../../lib/sources/forge/forge-client.ts'
import { forgeClient } from '../../../../lib/sources/forge/forge-client.ts'
import { type JsonReply, type JsonRequest, jsonServer, page } from '../../../bed/json-server.ts'

export const now = Date.parse('2026-01-01T00:00:00Z')

const wires = connections()

after(() => wires.close())

export const client = forgeClient({ now: () => now }, wires)

export const { signal } = new AbortController()

export const token = { type: 'token', token: 'secret' } as const

export const openSession = async <R>(
  options: Pick<ForgeSessionOptions, 'provider' | 'credentials'> & { readonly url: string },
  look: (visit: ForgeSession) => Promise<R>,
): Promise<R> => {
  const visit = await client.open({ ...options, url: new URL(options.url), signal })
  try {
    return await look(visit)
  } finally {
    await visit.close()
  }
}

/** A server that answers at these paths, below a prefix. */
export const forgeAt = async (
  answers: Readonly<Record<string, (request: JsonRequest, origin: string) => JsonReply>>,
) => {
  const server = await jsonServer(request => answers[request.path]?.(request, server.url))
  return server
}

export const lists = (items: readonly unknown[]) => (request: JsonRequest, origin: string) =>
  page(request, items, 2, origin)
