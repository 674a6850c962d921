import type { FileSystem } from '../../../engines/kustomize/file-system.ts'
import { fileSystemOf } from '../../../sources/artifact/file-system.ts'
import type { ReadPorts } from '../../source-artifact/read-artifact.ts'
import { type Unpacked, unpackedArtifacts } from '../../source-artifact/unpacked.ts'

/** The files of an artifact, as kustomize reads them. */
export type SourceFiles = Unpacked<FileSystem>

/** Unpacked artifacts as trees of kustomize; all passes of a process share them. */
export const createSourceFiles = (ports: ReadPorts): SourceFiles => unpackedArtifacts(ports, fileSystemOf)
