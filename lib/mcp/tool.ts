/** What an agent can do with a hub. */
import type * as z from 'zod'
import type { HubApi } from '../hub-client/hub-api.ts'

/** What a tool works with. */
export interface ToolContext {
  /** The hub's API, as the caller: a tool can do what the caller can do with kubectl, and nothing else. */
  readonly api: HubApi
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly signal: AbortSignal
}

/** What a tool returns. */
export interface ToolResult {
  /** In our own words. It names objects, and quotes nothing of them. */
  readonly summary: string
  /** What the tool found, by the tool's schema. Its texts are quoted as data. */
  readonly data: Readonly<Record<string, unknown>>
}

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  /** Absent for tools that only read. */
  readonly writes?: { readonly isDestructive: boolean; readonly isIdempotent: boolean }
  /** Fails with an ApiFailure of the hub, or a ToolFailure. */
  run(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult>
}

/** The arguments don't name anything that the tool can work with. */
export class ToolFailure extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ToolFailure'
  }
}

/** A tool with the arguments that its schema describes. The server validates them before it calls the tool. */
export const tool = <Input extends z.ZodObject>(
  declared: Omit<Tool, 'input' | 'run'> & {
    readonly input: Input
    readonly run: (args: z.output<Input>, context: ToolContext) => Promise<ToolResult>
  },
): Tool => ({ ...declared, run: (args, context) => declared.run(args as z.output<Input>, context) })
