import type { CrossNamespaceSettings } from '../../hub/references/access-denied.ts'
import type { References } from '../../hub/references/references.ts'
import type { SourceTree } from '../../sources/artifact/source-tree.ts'
import type { StoragePorts, StorageSettings } from '../source-artifact/artifact-storage.ts'
import type { Refetch } from '../source-artifact/read-artifact.ts'
import type { Download, Unpacked } from '../source-artifact/unpacked.ts'
import type { OutputWriter } from './output-writer.ts'

export interface GeneratorPorts extends StoragePorts {
  readonly outputs: OutputWriter
  readonly references: References
  readonly refetch: Refetch
  /** Fetches the artifacts of other controllers' ExternalArtifacts. */
  readonly download: Download
}

export interface GeneratorSettings extends StorageSettings, CrossNamespaceSettings {
  /** Delay before a source without an artifact is read again, in milliseconds. */
  readonly requeueDependencyMs: number
}

/** What all passes over ArtifactGenerators share. */
export interface Context extends GeneratorPorts {
  readonly settings: GeneratorSettings
  readonly readSource: Unpacked<SourceTree>
}
