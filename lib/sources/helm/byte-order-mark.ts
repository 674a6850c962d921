const mark = [0xef, 0xbb, 0xbf]

/** Helm drops the byte order mark of every file that it reads. */
export const withoutMark = (data: Uint8Array): Uint8Array =>
  mark.every((byte, index) => data[index] === byte) ? data.subarray(mark.length) : data
