import type { ApiHandler } from '../hub/apiserver/api-server.ts'
import { type McpEndpointOptions, withMcp } from '../hub/mcp/mcp-endpoint.ts'
import type { Log } from '../platform/ports/log.ts'
import { version } from './version.ts'

type McpPorts = Pick<McpEndpointOptions, 'clock' | 'random'> & { readonly log: Log }

/** The API with the tools for agents in front of it. */
export const composeMcp = (
  { clock, random, log }: McpPorts,
  api: ApiHandler,
  settings: Pick<McpEndpointOptions, 'allowsWrites' | 'allowsDecisions' | 'docs' | 'issuers'>,
): ApiHandler =>
  withMcp({
    ...{ api, clock, random, version, ...settings },
    onError: error => log.error('a request of an agent failed', { error }),
  })
