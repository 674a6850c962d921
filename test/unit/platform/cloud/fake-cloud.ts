import type { AmbientPorts } from '../../../../lib/platform/cloud/cloud-ports.ts'
import type { Fetch } from '../../../../lib/platform/cloud/send-request.ts'

/** A request as a cloud's server sees it. */
export interface Asked {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: string
}

type Answer = { readonly status?: number } & ({ readonly json: unknown } | { readonly text: string })

/** Answers by host and path (`POST sts.amazonaws.com/`); what is not there is refused as an unknown host would be. */
export const fakeCloud = (answers: Readonly<Record<string, (asked: Asked) => Answer>>) => {
  const asked: Asked[] = []
  const fetch: Fetch = async (address, { method, headers, body }) => {
    const url = new URL(address)
    const request = { url, method, headers: new Headers(headers), body: body ?? '' }
    asked.push(request)
    const answer = answers[`${method} ${url.host}${url.pathname}`]?.(request)
    if (!answer) throw new TypeError('fetch failed', { cause: new Error(`getaddrinfo ENOTFOUND ${url.hostname}`) })
    const text = 'json' in answer ? JSON.stringify(answer.json) : answer.text
    return new Response(text, { status: answer.status ?? 200 }) as Awaited<ReturnType<Fetch>>
  }
  return { fetch, asked }
}

export const startOfTime = Date.parse('2026-11-21T12:00:00Z')

/** Ports of a process with these files and this environment, and a clock that tests move. */
export const processWith = (
  ports: Pick<AmbientPorts, 'fetch' | 'metadataFetch'> & Partial<Pick<AmbientPorts, 'environment'>>,
  files: Readonly<Record<string, string>> = {},
) => {
  const clock = { time: startOfTime, now: (): number => clock.time }
  const readFile = async (path: string): Promise<string> => {
    const text = files[path]
    if (text === undefined) throw new Error(`ENOENT: no such file or directory, open '${path}'`)
    return text
  }
  return { environment: {}, ...ports, clock, readFile }
}

export const formOf = ({ body }: Asked): Record<string, string> => Object.fromEntries(new URLSearchParams(body))

/** Claims of a JSON Web Token, unverified. */
export const jwtParts = (token: string): { header: Record<string, unknown>; claims: Record<string, unknown> } => {
  const [header, claims] = token.split('.').map(part => Buffer.from(part, 'base64url').toString())
  return { header: JSON.parse(header!), claims: JSON.parse(claims!) }
}
