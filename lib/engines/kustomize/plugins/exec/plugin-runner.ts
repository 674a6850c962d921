/** A program to run for a build, in a copy of the kustomization's directory. */
export interface PluginRequest {
  /** What `locate` found, or a path inside `files`. */
  readonly program: { readonly installed: string } | { readonly local: string }
  readonly args: readonly string[]
  readonly stdin: string
  /** The working directory: everything below the kustomization's, by relative path. Nothing else is in reach by name. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** On top of what the runner lets through of the environment. */
  readonly environment: Readonly<Record<string, string>>
}

export interface PluginOutcome {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  /** Set when the runner ended the program: too slow, too much output. */
  readonly problem?: string
}

export interface LocatedProgram {
  readonly program: string
  readonly executable: boolean
  /** Why it may not run. */
  readonly problem?: string
}

/** Runs programs; the core doesn't know how. */
export interface PluginRunner {
  /** Finds an installed program by its path below kustomize's configuration directory. */
  locate(path: string): LocatedProgram | undefined
  run(request: PluginRequest): Promise<PluginOutcome>
}

export interface PluginOptions {
  readonly runner: PluginRunner
  /** API groups whose plugins may run (KEP-993 and the legacy layout); none by default. */
  readonly groups?: readonly string[]
  /** Whether configurations may name a program of the tree itself (`config.kubernetes.io/function`, exec). */
  readonly localFunctions?: boolean
  /** Further environment of those functions, as NAME=VALUE. */
  readonly functionEnvironment?: readonly string[]
  /** Whether functions that ask for the network may have it. */
  readonly functionNetwork?: boolean
  /** Whether plugins that transform may also add, remove and rename resources. */
  readonly unrestricted?: boolean
  /** When plugins of API groups transform: before what is built in (the default, as the KEP begins), or after it. */
  readonly transform?: 'before-builtin' | 'after-builtin'
  /** Runs every plugin twice, and refuses one whose output differs. */
  readonly strict?: boolean
}
