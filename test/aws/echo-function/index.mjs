/** Answers with the path it was asked for, in three chunks; each but the first when `x-more` has been asked for it and answers. */
export const handler = awslambda.streamifyResponse(async ({ rawPath, headers }, stream) => {
  const body = awslambda.HttpResponseStream.from(stream, { statusCode: 201, headers: { 'x-seen': rawPath } })
  body.write('one')
  for (const chunk of ['two', 'three']) {
    await fetch(headers['x-more'])
    body.write(chunk)
  }
  body.end()
})
