// Requests and responses of the API in the format of API Gateway's HTTP API (payload 2.0). The local server uses it too.
import type {
  APIGatewayEventRequestContextV2,
  APIGatewayProxyEventV2WithRequestContext,
  APIGatewayProxyStructuredResultV2,
} from 'aws-lambda';

export type HttpEvent = APIGatewayProxyEventV2WithRequestContext<
  APIGatewayEventRequestContextV2 & {
    /** The IP address and port of this machine that the request arrived at. Undefined on AWS. */
    arrivedAt?: string;
    authorizer?: {
      /** The claims of the verified token: set by API Gateway's JWT authorizer, or locally by the server. */
      jwt?: { claims: Record<string, unknown> };
      /** The verified caller: set by API Gateway's IAM authorizer. */
      iam?: { readonly accountId?: unknown; readonly userArn?: unknown };
    };
  }
>;
export type HttpResponse = APIGatewayProxyStructuredResultV2;
export type ApiHandler = (event: HttpEvent, context?: object) => Promise<HttpResponse>;
