/** The files of a source by relative slash path, without `.` and `..`; folders exist only if they contain a file. */
export type SourceTree = ReadonlyMap<string, SourceFile>

export interface SourceFile {
  /**
   * Reading it may be expensive: the content of a large file may be read from its source each time. `size` then gives
   * its length.
   */
  readonly content: Uint8Array
  readonly size?: number
  readonly executable: boolean
}
