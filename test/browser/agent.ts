import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { program } from '../bed/keelson-program.ts'
import { endWithTest } from '../bed/teardown.ts'

/** `keelson mcp` as the user of a kubeconfig: what its tools find. Fails with what a tool says is wrong. */
export const agent = async (kubeconfig: string) => {
  const client = new Client({ name: 'test', version: '1' })
  const args = [program, 'mcp', '--kubeconfig', kubeconfig]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' }))
  endWithTest({ [Symbol.asyncDispose]: () => client.close() })
  return async (name: string, given: Record<string, unknown>): Promise<Record<string, unknown>> => {
    const { isError, content, structuredContent } = await client.callTool({ name, arguments: given })
    if (isError) throw new Error(JSON.stringify(content))
    return structuredContent as Record<string, unknown>
  }
}
