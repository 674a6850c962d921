import { randomUUID } from 'node:crypto'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { Command } from 'commander'
import { ownDocs } from '../../compose/docs-pages.ts'
import { version } from '../../compose/version.ts'
import type { HubApi } from '../../hub-client/hub-api.ts'
import { createMcpServer } from '../../mcp/mcp-server.ts'
import { ToolFailure } from '../../mcp/tool.ts'
import { CommandFailed } from '../command-failed.ts'
import { type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { hubApi } from '../hub-api.ts'

interface Options extends HubOptions {
  readonly allowWrites: boolean
  readonly allowDecisions: boolean
}

const examples = `
Examples:
  # The entry in the configuration of an agent
  { "mcpServers": { "keelson": { "command": "keelson", "args": ["mcp", "--context", "hub"] } } }

  # As a user who may only read one namespace
  keelson mcp --as system:serviceaccount:apps:reader

  # Agents may reconcile, suspend and resume, as far as your roles allow
  keelson mcp --allow-writes

Hubs serve the same tools over HTTP, at /mcp.
`

/** `keelson mcp`: the hub's tools for an agent that starts this command, over standard input and output. */
export const mcpCommand = (env: NodeJS.ProcessEnv): Command =>
  withHubOptions(
    new Command('mcp')
      .summary('serve the tools of a hub to an agent (MCP)')
      .description(
        'Serves the tools of a hub to an agent on this machine, over standard input and output (Model Context Protocol).',
      ),
  )
    .option(
      '--allow-writes',
      'offer tools that reconcile, suspend, resume, repeat deliveries and order rollouts',
      false,
    )
    .option('--allow-decisions', 'with --allow-writes, offer one that approves and rejects plans in your name', false)
    .addHelpText('after', examples)
    .action(async (options: Options) => {
      const ended = Promise.withResolvers<void>()
      const handle = serveStdio(
        () =>
          createMcpServer({
            ...{ version, allowsWrites: options.allowWrites, allowsDecisions: options.allowDecisions, docs: ownDocs() },
            ...{ now: Date.now, mark: randomUUID },
            withApi: (_, work) => withOwnHub(options, env, work),
          }),
        { onerror: error => process.stderr.write(`${error.message}\n`) },
      )
      process.stdin.once('end', ended.resolve)
      process.stdin.once('close', ended.resolve)
      await ended.promise
      await handle.close()
    })

/** A connection of its own for each call: sessions of agents last longer than tokens. */
const withOwnHub = async <T>(
  options: Options,
  env: NodeJS.ProcessEnv,
  work: (api: HubApi) => Promise<T>,
): Promise<T> => {
  try {
    return await withHub(options, env, async hub => work(await hubApi(hub)))
  } catch (error) {
    throw error instanceof CommandFailed ? new ToolFailure(error.message) : error
  }
}
