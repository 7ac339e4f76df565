// The address of CloudWatch Logs Insights with a query for the log lines of one execution.

const QUERY_BEFORE = 'fields @timestamp, level, message, @message\n| filter @message like "';
const QUERY_AFTER = '"\n| sort @timestamp asc\n| limit 200';
/** Insights charges for each gigabyte that it reads, so the query begins with one day. */
const SECONDS = 86_400;

/** Has `{executionId}` in place of the id. Ids need no encoding. */
export function logsUrl(region: string, logGroup: string): string {
  const query = `${encoded(QUERY_BEFORE)}{executionId}${encoded(QUERY_AFTER)}`;
  const detail = `~(end~0~start~-${SECONDS}~timeType~'RELATIVE~unit~'seconds~editorString~'${query}~source~(~'${encoded(logGroup)}))`;
  return `https://${region}.${consoleDomain(region)}/cloudwatch/home?region=${region}#logsV2:logs-insights$3FqueryDetail$3D${detail}`;
}

/** The encoding of the address after `queryDetail`: `*` and two hexadecimal digits for each other byte. */
const encoded = (text: string): string =>
  text.replace(
    /[^A-Za-z0-9._-]/g,
    (character) => `*${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );

function consoleDomain(region: string): string {
  if (region.startsWith('cn-')) return 'console.amazonaws.cn';
  return region.startsWith('us-gov-') ? 'console.amazonaws-us-gov.com' : 'console.aws.amazon.com';
}
