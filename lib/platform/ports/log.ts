/** Structured log lines. Fields never hold secrets. */
export interface Log {
  info(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields & { readonly error?: unknown }): void
}

export type LogFields = Readonly<Record<string, unknown>>
