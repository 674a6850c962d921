/** A program to run for a build, in a copy of the kustomization's directory. */
export interface PluginRequest {
  /** The result of `locate`, or a path inside `files`. */
  readonly program: { readonly installed: string } | { readonly local: string }
  readonly args: readonly string[]
  readonly stdin: string
  /** The working directory: everything below the kustomization's directory, by relative path. No other file is accessible by name. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** In addition to the variables that the runner passes on. */
  readonly environment: Readonly<Record<string, string>>
}

export interface PluginOutcome {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  /** Set if the runner stopped the program: too slow, too much output. */
  readonly problem?: string
}

export interface LocatedProgram {
  readonly program: string
  readonly executable: boolean
  /** Why it may not run. */
  readonly problem?: string
}

/** Runs programs: an interface, since the engine has no implementation. */
export interface PluginRunner {
  /** Finds an installed program by its path below kustomize's configuration directory. */
  locate(path: string): LocatedProgram | undefined
  run(request: PluginRequest): Promise<PluginOutcome>
}

export interface PluginOptions {
  readonly runner: PluginRunner
  /** API groups whose plugins may run (KEP-993 and the legacy layout); none by default. */
  readonly groups?: readonly string[]
  /** Whether configurations may run a program of the tree (`config.kubernetes.io/function`, exec). */
  readonly localFunctions?: boolean
  /** Environment variables for those functions, as NAME=VALUE. */
  readonly functionEnvironment?: readonly string[]
  /** Whether functions may access the network if they request it. */
  readonly functionNetwork?: boolean
  /** Whether transforming plugins may also add, remove and rename resources. */
  readonly unrestricted?: boolean
  /** When plugins of API groups transform: before the built-in transformers (the default, as in the KEP), or after them. */
  readonly transform?: 'before-builtin' | 'after-builtin'
  /** Runs every plugin twice, and refuses one whose output differs. */
  readonly strict?: boolean
}
